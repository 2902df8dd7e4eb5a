package io.posthorn.postgresql.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The leaves of receipts. Their days are the days in the message ids, so a leaf whose day is over
 * is known without reading it. No receipt is written to it any more, because an id of such a day is
 * out of the horizon.
 */
public final class ReceiptRing {
  /** The number of leaves that the migration creates. */
  public static final int LEAVES = 40;

  /** The slot of ids without a time. */
  public static final int UNDATED = -1;

  /** All slots. */
  public static final List<Integer> SLOTS = IntStream.range(UNDATED, LEAVES).boxed().toList();

  /** How many days back an id is known; {@code posthorn_receive} has the same number. */
  public static final int HORIZON = 30;

  /** How many days ahead an id may be; {@code posthorn_receive} has the same number. */
  private static final int AHEAD = 2;

  /** One more day on either side, for transactions that run at midnight. */
  public static final int MARGIN = 1;

  private ReceiptRing() {}

  public static String leaf(int slot) {
    return slot == UNDATED ? "posthorn_receipt_undated" : Ring.leaf("posthorn_receipt", slot);
  }

  /** Returns the slots whose days are over, the oldest first. */
  public static List<Integer> over(int today) {
    List<Integer> over = new ArrayList<>();
    for (int day = today - LEAVES + AHEAD + MARGIN + 1; day < today - HORIZON - MARGIN; day++) {
      over.add(Math.floorMod(day, LEAVES));
    }
    return over;
  }

  /** Returns the latest day of this slot that may have begun. */
  public static int day(int slot, int today) {
    int latest = today + AHEAD + MARGIN;
    return latest - Math.floorMod(latest - slot, LEAVES);
  }
}
