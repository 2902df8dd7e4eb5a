/** The seam to databases: append, claim and settle, and the ownership of lanes. */
@NullMarked
package io.posthorn.core.store;

import org.jspecify.annotations.NullMarked;
