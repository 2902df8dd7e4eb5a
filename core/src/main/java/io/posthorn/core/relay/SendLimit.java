package io.posthorn.core.relay;

/**
 * Limits the messages to a destination, or those of one type to it.
 *
 * @param maxInFlight most messages that are sent and not yet answered; default 1,000
 * @param perSecond most messages per second; 0 means no limit and is the default
 */
public record SendLimit(int maxInFlight, double perSecond) {
  public static final SendLimit DEFAULT = new SendLimit(1_000, 0);

  public SendLimit maxInFlight(int maxInFlight) {
    return new SendLimit(maxInFlight, perSecond);
  }

  public SendLimit perSecond(double perSecond) {
    return new SendLimit(maxInFlight, perSecond);
  }
}
