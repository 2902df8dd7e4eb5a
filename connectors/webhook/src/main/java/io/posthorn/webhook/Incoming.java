package io.posthorn.webhook;

import io.posthorn.core.source.Received;

/** What a {@link WebhookReceiver} says of a request. */
public sealed interface Incoming {
  /**
   * It is genuine. Answer 2xx when the transaction that handled or stored it has committed, also if
   * the inbox says that it is a duplicate; and 503 if it could not be, so that it comes again.
   */
  record Accepted(Received received) implements Incoming {}

  /**
   * Answer this status, and do nothing else.
   *
   * @param status 4xx or 503
   * @param code stable, for programs
   * @param text for your log, and the sender's; tells nothing secret
   */
  record Refused(int status, String code, String text) implements Incoming {}
}
