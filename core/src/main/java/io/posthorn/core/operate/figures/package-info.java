/** The whole database in figures, for metrics. They are cheap to read, however much is stored. */
@NullMarked
package io.posthorn.core.operate.figures;

import org.jspecify.annotations.NullMarked;
