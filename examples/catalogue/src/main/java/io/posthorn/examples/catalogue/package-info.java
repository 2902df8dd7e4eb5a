/** A shop in one program: three parts that know each other by messages. */
@NullMarked
package io.posthorn.examples.catalogue;

import org.jspecify.annotations.NullMarked;
