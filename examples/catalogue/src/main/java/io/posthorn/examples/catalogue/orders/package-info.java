/** What customers have bought. */
@NullMarked
package io.posthorn.examples.catalogue.orders;

import org.jspecify.annotations.NullMarked;
