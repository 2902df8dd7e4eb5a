package io.posthorn.postgresql;

import io.posthorn.core.store.Delivery;
import java.util.List;

/**
 * What one read of a window found.
 *
 * @param start the seq it began after
 * @param end the seq up to which it speaks
 * @param more the window goes on after it
 */
record Page(List<Delivery> deliveries, long start, long end, boolean more) {}
