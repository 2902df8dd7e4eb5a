package io.posthorn.postgresql.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The leaves of receipts. The days of the ring are those inside the ids, so which leaves are over
 * is known without looking into them, and nobody writes there any more: an id of such a day is out
 * of the horizon.
 */
public final class ReceiptRing {
  /** As many as the migration made. */
  public static final int LEAVES = 40;

  /** The slot of ids without a time. */
  public static final int UNDATED = -1;

  /** All slots there are. */
  public static final List<Integer> SLOTS = IntStream.range(UNDATED, LEAVES).boxed().toList();

  /** So many days back an id is known; {@code posthorn_receive} says the same. */
  public static final int HORIZON = 30;

  /** So many days ahead an id may be; says the same, too. */
  private static final int AHEAD = 2;

  /** A day more on either side, for transactions that are under way at midnight. */
  public static final int MARGIN = 1;

  private ReceiptRing() {}

  public static String leaf(int slot) {
    return slot == UNDATED ? "posthorn_receipt_undated" : Ring.leaf("posthorn_receipt", slot);
  }

  /** The slots whose days are over, the longest first. */
  public static List<Integer> over(int today) {
    List<Integer> over = new ArrayList<>();
    for (int day = today - LEAVES + AHEAD + MARGIN + 1; day < today - HORIZON - MARGIN; day++) {
      over.add(Math.floorMod(day, LEAVES));
    }
    return over;
  }

  /** The last day of this slot that may have begun. */
  public static int day(int slot, int today) {
    int latest = today + AHEAD + MARGIN;
    return latest - Math.floorMod(latest - slot, LEAVES);
  }
}
