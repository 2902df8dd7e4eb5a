/** Small charts, drawn by the server as SVG. */
@NullMarked
package io.posthorn.console.chart;

import org.jspecify.annotations.NullMarked;
