/** Tests of the container image. */
@NullMarked
package io.posthorn.image;

import org.jspecify.annotations.NullMarked;
