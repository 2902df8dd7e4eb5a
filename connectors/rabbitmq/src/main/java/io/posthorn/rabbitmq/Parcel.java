package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;

/** A message as it is published: where to, and what. */
@SuppressWarnings("ArrayRecordComponent") // bodies are bytes; see Message
record Parcel(String exchange, String routingKey, AMQP.BasicProperties properties, byte[] body) {}
