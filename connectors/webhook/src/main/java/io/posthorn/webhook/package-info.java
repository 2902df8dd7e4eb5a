/** Delivers to HTTP endpoints, signed and guarded, and tells genuine webhooks of others. */
@NullMarked
package io.posthorn.webhook;

import org.jspecify.annotations.NullMarked;
