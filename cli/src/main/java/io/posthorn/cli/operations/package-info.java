/** Bulk actions: started, watched, stopped and resumed. */
@NullMarked
package io.posthorn.cli.operations;

import org.jspecify.annotations.NullMarked;
