/** Archives: where messages and dead letters are kept before they are removed. */
@NullMarked
package io.posthorn.core.operate.archive;

import org.jspecify.annotations.NullMarked;
