/** Operations: bulk actions and their progress. */
@NullMarked
package io.posthorn.console.operation;

import org.jspecify.annotations.NullMarked;
