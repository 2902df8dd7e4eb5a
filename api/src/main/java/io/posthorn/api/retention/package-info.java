/** What is kept, and purging. */
@NullMarked
package io.posthorn.api.retention;

import org.jspecify.annotations.NullMarked;
