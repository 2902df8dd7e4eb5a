package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;

/** A message in the form in which it is published: its address and its content. */
@SuppressWarnings("ArrayRecordComponent") // bodies are bytes; see Message
record Parcel(String exchange, String routingKey, AMQP.BasicProperties properties, byte[] body) {}
