/** Numbers, times, ids and foreign text in the form that people read. */
@NullMarked
package io.posthorn.console.text;

import org.jspecify.annotations.NullMarked;
