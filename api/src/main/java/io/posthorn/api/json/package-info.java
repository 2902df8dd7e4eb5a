/** How requests are read and answers are written. */
@NullMarked
package io.posthorn.api.json;

import org.jspecify.annotations.NullMarked;
