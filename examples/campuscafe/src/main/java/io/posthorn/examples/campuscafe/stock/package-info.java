/** Keeps the stock of drinks. */
@NullMarked
package io.posthorn.examples.campuscafe.stock;

import org.jspecify.annotations.NullMarked;
