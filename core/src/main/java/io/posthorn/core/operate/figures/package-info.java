/** The whole database in figures, for metrics: cheap to ask for, however much is stored. */
@NullMarked
package io.posthorn.core.operate.figures;

import org.jspecify.annotations.NullMarked;
