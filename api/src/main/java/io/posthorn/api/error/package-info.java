/** Errors as problem documents (RFC 9457), with Posthorn's stable codes. */
@NullMarked
package io.posthorn.api.error;

import org.jspecify.annotations.NullMarked;
