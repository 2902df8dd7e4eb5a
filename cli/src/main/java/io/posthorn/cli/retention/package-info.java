/** What is removed, what waits and for whom, and the way to and from archives. */
@NullMarked
package io.posthorn.cli.retention;

import org.jspecify.annotations.NullMarked;
