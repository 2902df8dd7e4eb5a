/** Figures that keep themselves up to date, shared by all who look. */
@NullMarked
package io.posthorn.console.live;

import org.jspecify.annotations.NullMarked;
