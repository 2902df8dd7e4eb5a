/** Retention: how long finished messages are kept, what is removed, and what blocks removal. */
@NullMarked
package io.posthorn.core.operate.retention;

import org.jspecify.annotations.NullMarked;
