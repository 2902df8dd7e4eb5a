package io.posthorn.core.relay;

/**
 * How much may go to a destination, or of one type to it.
 *
 * @param maxInFlight sent and not yet answered, at most; default 1,000
 * @param perSecond at most so many a second; 0 = no limit, the default
 */
public record SendLimit(int maxInFlight, double perSecond) {
  public static final SendLimit DEFAULT = new SendLimit(1_000, 0);

  public SendLimit maxInFlight(int most) {
    return new SendLimit(most, perSecond);
  }

  public SendLimit perSecond(double rate) {
    return new SendLimit(maxInFlight, rate);
  }
}
