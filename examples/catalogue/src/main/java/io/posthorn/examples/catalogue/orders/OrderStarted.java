package io.posthorn.examples.catalogue.orders;

import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import java.util.List;
import java.util.UUID;

@OutboxMessage
record OrderStarted(@MessageKey("order") UUID order, String basket, List<String> products) {}
