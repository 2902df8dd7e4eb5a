package io.posthorn.examples.catalogue.products;

import io.posthorn.spring.OutboxMessage;
import java.math.BigDecimal;

/** Also told of the first price. Messages of one product keep their order. */
@OutboxMessage(type = "ProductPriceChanged", aggregate = "product", key = "product")
record ProductPriceChanged(String product, String name, BigDecimal price) {}
