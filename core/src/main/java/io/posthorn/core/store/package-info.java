/** The seam to databases: append, claim and settle, and who owns which lane. */
@NullMarked
package io.posthorn.core.store;

import org.jspecify.annotations.NullMarked;
