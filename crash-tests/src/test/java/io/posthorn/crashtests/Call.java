package io.posthorn.crashtests;

import org.jspecify.annotations.Nullable;

/** What a thread of a relay is doing: the same statements serve several calls. */
enum Call {
  VERIFY,
  REGISTER,
  JOIN,
  BEAT,
  TAKE,
  RELEASE,
  LEAVE,
  HEAD,
  LOOK,
  CLAIM,
  READ_AHEAD,
  CLAIM_PARKED,
  SETTLE,
  BREAKER,
  TEND,
  OPERATIONS,
  PURGE,
  SEND,
  RECEIVE,
  STORE,
  HAND_OVER;

  private static final ThreadLocal<@Nullable Call> CURRENT = new ThreadLocal<>();

  static @Nullable Call current() {
    return CURRENT.get();
  }

  void begin() {
    CURRENT.set(this);
  }

  static void end() {
    CURRENT.remove();
  }
}
