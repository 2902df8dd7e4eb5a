/**
 * What customers are about to buy. It hears of prices and orders from a topic, like a service of
 * its own would.
 */
@NullMarked
package io.posthorn.examples.catalogue.baskets;

import org.jspecify.annotations.NullMarked;
