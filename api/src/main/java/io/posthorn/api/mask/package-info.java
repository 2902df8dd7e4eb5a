/** What of a message a caller sees. */
@NullMarked
package io.posthorn.api.mask;

import org.jspecify.annotations.NullMarked;
