package io.posthorn.crashtests;

import static io.posthorn.crashtests.Call.BEAT;
import static io.posthorn.crashtests.Call.CLAIM;
import static io.posthorn.crashtests.Call.CLAIM_PARKED;
import static io.posthorn.crashtests.Call.HAND_OVER;
import static io.posthorn.crashtests.Call.JOIN;
import static io.posthorn.crashtests.Call.LEAVE;
import static io.posthorn.crashtests.Call.LOOK;
import static io.posthorn.crashtests.Call.OPERATIONS;
import static io.posthorn.crashtests.Call.READ_AHEAD;
import static io.posthorn.crashtests.Call.RECEIVE;
import static io.posthorn.crashtests.Call.REGISTER;
import static io.posthorn.crashtests.Call.RELEASE;
import static io.posthorn.crashtests.Call.SEND;
import static io.posthorn.crashtests.Call.SETTLE;
import static io.posthorn.crashtests.Call.STORE;
import static io.posthorn.crashtests.Call.TAKE;
import static io.posthorn.crashtests.Call.TEND;

/**
 * The moments at which a relay process kills or freezes itself. A moment is a place between two
 * statements, so the names of statements are those that stand as comments in front of them.
 */
enum CrashPoint {
  REGISTER_BEFORE_COMMIT(
      When.START, REGISTER, "before commit", "routes are written, not committed"),
  REGISTER_AFTER_COMMIT(When.START, REGISTER, "after commit", "routes exist, no relay has joined"),
  JOIN_BEFORE_COMMIT(When.START, JOIN, "before commit", "the heartbeat row is not committed"),
  JOIN_AFTER_COMMIT(When.START, JOIN, "after commit", "alive by the database, holds nothing"),
  TAKE_AFTER_EXPIRE(When.START, TAKE, "after expire holder", "the dead holder's row is locked"),
  TAKE_AFTER_GRANT(
      When.START, TAKE, "after grant lane", "the lane's row is changed, not committed"),
  TAKE_BEFORE_COMMIT(When.START, TAKE, "before commit", "everything but the commit"),
  TAKE_AFTER_COMMIT(When.START, TAKE, "after commit", "the lane is held, nothing read"),

  LOOK_AFTER(When.RUNNING, LOOK, "after look", "it knows what is to do and has not begun"),
  BEAT_BEFORE(When.RUNNING, BEAT, "before beat", "the lease is about to be renewed"),
  BEAT_AFTER_UPDATE(When.RUNNING, BEAT, "after beat", "the heartbeat row is locked"),
  BEAT_AFTER_COMMIT(When.RUNNING, BEAT, "after commit", "renewed, and this relay does not know it"),

  CLAIM_BEFORE_LOCK(When.RUNNING, CLAIM, "before lock lane", "nothing has happened"),
  CLAIM_AFTER_RANGE(
      When.RUNNING,
      CLAIM,
      "after read cursor and range",
      "the lane is locked, a page is read, no window stored"),
  CLAIM_AFTER_STRAGGLERS(
      When.RUNNING,
      CLAIM,
      "after read cursor, stragglers and range",
      "the same with late transactions"),
  CLAIM_BEFORE_COMMIT(When.RUNNING, CLAIM, "before commit", "the window is written, not committed"),
  CLAIM_AFTER_COMMIT(When.RUNNING, CLAIM, "after commit", "the window is stored, nothing sent"),

  READ_AHEAD_AFTER_RANGE(
      When.RUNNING, READ_AHEAD, "after read range", "two pages in memory, neither settled"),

  SEND_BEFORE(When.RUNNING, SEND, "before", "handed to the connector, not to the receiver"),
  SEND_RECEIVED(When.RUNNING, SEND, "received", "the receiver has it, the relay has no answer"),
  SEND_ANSWERED(When.RUNNING, SEND, "answered", "the relay has the answer and has written nothing"),

  SETTLE_BEFORE_LOCK(When.RUNNING, SETTLE, "before lock lane", "all is sent, nothing written"),
  SETTLE_AFTER_CURSOR(
      When.RUNNING,
      SETTLE,
      "after read cursor",
      "the lane is locked, the progress known to be ours"),
  SETTLE_AFTER_PARK(When.RUNNING, SETTLE, "after park", "a failed message is copied"),
  SETTLE_AFTER_PARK_AGAIN(When.RUNNING, SETTLE, "after park again", "a retry has failed again"),
  SETTLE_AFTER_BURY(When.RUNNING, SETTLE, "after bury from log", "a dead letter is written"),
  SETTLE_AFTER_REMOVE(When.RUNNING, SETTLE, "after remove parked", "a parked message was sent"),
  SETTLE_AFTER_ATTEMPTS(When.RUNNING, SETTLE, "after write attempts", "the history is written"),
  SETTLE_AFTER_WAKE(When.RUNNING, SETTLE, "after wake heads", "the next of a key has its turn"),
  SETTLE_BEFORE_COMMIT(When.RUNNING, SETTLE, "before commit", "everything but the commit"),
  SETTLE_AFTER_COMMIT(When.RUNNING, SETTLE, "after commit", "settled, and the relay does not know"),
  SETTLE_UNFLUSHED(
      When.RUNNING,
      SETTLE,
      "after write closed progress, unflushed",
      "settled and committed, and not on disk"),

  CLAIM_PARKED_AFTER_LOCK(When.RUNNING, CLAIM_PARKED, "after lock lane", "nothing has happened"),
  CLAIM_PARKED_AFTER_FALL_DUE(
      When.RUNNING, CLAIM_PARKED, "after fall due", "scheduled messages got their place"),
  CLAIM_PARKED_AFTER_READ(When.RUNNING, CLAIM_PARKED, "after read parked", "heads are read"),
  CLAIM_PARKED_AFTER_COMMIT(When.RUNNING, CLAIM_PARKED, "after commit", "nothing of them is sent"),

  TEND_AFTER_LOCK(When.RUNNING, TEND, "after lock lane", "the unrouted lane is locked"),
  TEND_AFTER_PARK(When.RUNNING, TEND, "after park untried", "messages without a route are copied"),
  TEND_BEFORE_COMMIT(When.RUNNING, TEND, "before commit", "the unrouted cursor has not moved"),

  OPERATION_AFTER_LOCK(
      When.RUNNING, OPERATIONS, "after lock operation", "nobody else can take a step"),
  OPERATION_AFTER_REQUEUE(
      When.RUNNING, OPERATIONS, "after requeue letters", "letters are parked, lanes are locked"),
  OPERATION_BEFORE_COMMIT(
      When.RUNNING, OPERATIONS, "before commit", "all is written but the commit"),
  OPERATION_AFTER_COMMIT(
      When.RUNNING, OPERATIONS, "after commit", "the step is taken, and nobody here knows"),

  RECEIVE_POLLED(When.RECEIVING, RECEIVE, "polled", "in hand, nothing written"),
  RECEIVE_AFTER_RECEIPT(When.RECEIVING, RECEIVE, "after receive", "receipts, not committed"),
  RECEIVE_IN_HANDLER(When.RECEIVING, RECEIVE, "in handler", "the effect is not committed"),
  RECEIVE_BEFORE_COMMIT(When.RECEIVING, RECEIVE, "before commit", "everything but the commit"),
  RECEIVE_AFTER_COMMIT(
      When.RECEIVING, RECEIVE, "after commit", "it took effect, and the broker does not know"),
  RECEIVE_PARKING(When.RECEIVING, RECEIVE, "after park received", "a failed one is written"),
  RECEIVE_ACKNOWLEDGED(When.RECEIVING, RECEIVE, "acknowledged", "the broker has forgotten it"),
  STORE_BEFORE_COMMIT(When.STORING, STORE, "before commit", "stored, not committed"),
  STORE_AFTER_COMMIT(When.STORING, STORE, "after commit", "stored, and the broker does not know"),
  STORE_ACKNOWLEDGED(When.STORING, STORE, "acknowledged", "stored, not handled"),
  HAND_OVER_IN_HANDLER(
      When.STORING, HAND_OVER, "in handler", "the relay waits for the handler's answer"),
  HAND_OVER_BEFORE_COMMIT(When.STORING, HAND_OVER, "before commit", "everything but the commit"),
  HAND_OVER_AFTER_COMMIT(
      When.STORING, HAND_OVER, "after commit", "it took effect, and the relay does not know"),

  RELEASE_BEFORE(When.STOPPING, RELEASE, "before release lane", "all is settled, the lane is held"),
  RELEASE_AFTER_COMMIT(When.STOPPING, RELEASE, "after commit", "the lane is free, the relay alive"),
  LEAVE_BEFORE_COMMIT(When.STOPPING, LEAVE, "before commit", "it is gone but for the commit");

  /** What brings a relay to the point. */
  enum When {
    /** It starts, after the one before it was killed. */
    START,
    /** It holds the lane while messages flow. */
    RUNNING,
    /** A subscription handles what comes from a broker. */
    RECEIVING,
    /** A subscription stores what comes from a broker, and the relay hands it over. */
    STORING,
    /** The relay is asked to stop. */
    STOPPING
  }

  private final When when;
  private final Call call;
  private final String moment;
  private final String description;

  CrashPoint(When when, Call call, String moment, String description) {
    this.when = when;
    this.call = call;
    this.moment = moment;
    this.description = description;
  }

  When when() {
    return when;
  }

  Call call() {
    return call;
  }

  String description() {
    return description;
  }

  boolean is(Call reached, String at) {
    return call == reached && moment.equals(at);
  }

  @Override
  public String toString() {
    return name() + " (" + description + ")";
  }
}
