/** Delivers to HTTP endpoints: signed, guarded against private networks, classified by status. */
@NullMarked
package io.posthorn.webhook;

import org.jspecify.annotations.NullMarked;
