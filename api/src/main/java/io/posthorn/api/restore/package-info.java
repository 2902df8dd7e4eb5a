/** Adopting and fencing a database. */
@NullMarked
package io.posthorn.api.restore;

import org.jspecify.annotations.NullMarked;
