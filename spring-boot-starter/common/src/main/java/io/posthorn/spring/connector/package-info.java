/** Destinations and sources that are defined by properties. */
@NullMarked
package io.posthorn.spring.connector;

import org.jspecify.annotations.NullMarked;
