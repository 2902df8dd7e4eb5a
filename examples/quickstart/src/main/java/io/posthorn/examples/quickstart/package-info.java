/** A user registers and gets a welcome mail, whatever breaks in between: the code of the README. */
@NullMarked
package io.posthorn.examples.quickstart;

import org.jspecify.annotations.NullMarked;
