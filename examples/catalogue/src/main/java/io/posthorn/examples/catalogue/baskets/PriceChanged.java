package io.posthorn.examples.catalogue.baskets;

import java.math.BigDecimal;

/** What the baskets want to know of a ProductPriceChanged: a class of their own. */
record PriceChanged(String product, String name, BigDecimal price) {}
