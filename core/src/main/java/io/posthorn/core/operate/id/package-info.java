/** Ids of which a person writes only the beginning. */
@NullMarked
package io.posthorn.core.operate.id;

import org.jspecify.annotations.NullMarked;
