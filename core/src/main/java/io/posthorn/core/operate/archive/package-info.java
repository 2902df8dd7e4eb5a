/** Where things are kept before they are removed: named parts of JSON lines. */
@NullMarked
package io.posthorn.core.operate.archive;

import org.jspecify.annotations.NullMarked;
