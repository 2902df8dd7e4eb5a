/** Destinations and sources that are made of properties. */
@NullMarked
package io.posthorn.spring.connector;

import org.jspecify.annotations.NullMarked;
