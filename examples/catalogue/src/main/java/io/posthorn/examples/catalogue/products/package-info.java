/** What is sold, and for how much. */
@NullMarked
package io.posthorn.examples.catalogue.products;

import org.jspecify.annotations.NullMarked;
