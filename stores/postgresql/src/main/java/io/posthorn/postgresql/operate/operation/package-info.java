/** Bulk actions: booked, carried out step by step, stopped and resumed. */
@NullMarked
package io.posthorn.postgresql.operate.operation;

import org.jspecify.annotations.NullMarked;
