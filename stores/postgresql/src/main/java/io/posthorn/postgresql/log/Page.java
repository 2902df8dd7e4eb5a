package io.posthorn.postgresql.log;

import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages that one read of a window found.
 *
 * @param start the seq after which the page begins
 * @param end the seq up to which the page is complete
 * @param more whether the window continues after the page
 */
public record Page(List<Delivery> deliveries, long start, long end, boolean more) {

  /**
   * Cuts this page into up to {@code most} pages that keep the limits. Returns no page if nothing
   * was found. Messages that do not fit must be read again.
   */
  List<Page> cut(ClaimLimits limits, int most) {
    List<Page> pages = new ArrayList<>();
    long after = start;
    long bytes = 0;
    int first = 0;
    for (int i = 0; i < deliveries.size() && pages.size() < most; i++) {
      Delivery delivery = deliveries.get(i);
      bytes += delivery.message().bytes();
      boolean full = i + 1 - first == limits.messages() || bytes >= limits.bytes();
      boolean last = i + 1 == deliveries.size();
      if (full || last) {
        long upto = last ? end : delivery.seq();
        pages.add(new Page(deliveries.subList(first, i + 1), after, upto, !last || more));
        after = upto;
        first = i + 1;
        bytes = 0;
      }
    }
    return pages;
  }
}
