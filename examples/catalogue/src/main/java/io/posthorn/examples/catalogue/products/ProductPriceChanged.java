package io.posthorn.examples.catalogue.products;

import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import java.math.BigDecimal;

/** A product has a new price, or its first one. Messages of one product keep their order. */
@OutboxMessage
record ProductPriceChanged(@MessageKey("product") String product, String name, BigDecimal price) {}
