/** Delivers to HTTP endpoints, signed and guarded, and verifies received webhooks. */
@NullMarked
package io.posthorn.webhook;

import org.jspecify.annotations.NullMarked;
