package io.posthorn.test;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import java.util.List;

/** A message and its state at each destination. */
record MessageWithDeliveries(Message message, List<DeliveryStory> deliveries) {}
