package io.posthorn.examples.catalogue.orders;

import io.posthorn.spring.OutboxMessage;
import java.util.List;
import java.util.UUID;

@OutboxMessage(type = "OrderStarted", aggregate = "order", key = "order")
record OrderStarted(UUID order, String basket, List<String> products) {}
