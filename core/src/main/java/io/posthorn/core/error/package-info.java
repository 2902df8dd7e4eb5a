/**
 * Posthorn's errors: one exception, one list of codes, and the sanitiser of the texts that others
 * write.
 */
@NullMarked
package io.posthorn.core.error;

import org.jspecify.annotations.NullMarked;
