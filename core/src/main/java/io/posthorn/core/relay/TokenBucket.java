package io.posthorn.core.relay;

/** Limits a rate per second; a burst can be a tenth of that rate, and at least one message. */
final class TokenBucket {
  private double perSecond;
  private double tokens;
  private long filledAt;

  TokenBucket(double perSecond, long now) {
    this.perSecond = perSecond;
    this.filledAt = now;
    this.tokens = burst();
  }

  void rate(double newRate) {
    this.perSecond = newRate;
    this.tokens = Math.min(tokens, burst());
  }

  boolean tryTake(long now) {
    if (perSecond <= 0) {
      return true;
    }
    tokens = Math.min(burst(), tokens + (now - filledAt) / 1e9 * perSecond);
    filledAt = now;
    if (tokens < 1) {
      return false;
    }
    tokens--;
    return true;
  }

  /** Puts back a token that was taken but not used. */
  void giveBack() {
    tokens++;
  }

  /** When the next message can go, if none can go now. */
  long nextAt(long now) {
    return perSecond <= 0
        ? Long.MAX_VALUE
        : now + (long) (Math.max(0, 1 - tokens) / perSecond * 1e9) + 1;
  }

  private double burst() {
    return Math.max(1, perSecond / 10);
  }
}
