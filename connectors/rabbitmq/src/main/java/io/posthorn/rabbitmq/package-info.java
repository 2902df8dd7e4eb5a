/** Delivers messages to RabbitMQ: confirmed one by one, and never to nobody. */
@NullMarked
package io.posthorn.rabbitmq;

import org.jspecify.annotations.NullMarked;
