/** What Posthorn says when it could not do a thing: one exception, one list of codes. */
@NullMarked
package io.posthorn.core.error;

import org.jspecify.annotations.NullMarked;
