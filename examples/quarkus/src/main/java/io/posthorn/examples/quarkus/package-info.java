/** A user registers and gets a welcome mail, in Quarkus: the code of the guide. */
@NullMarked
package io.posthorn.examples.quarkus;

import org.jspecify.annotations.NullMarked;
