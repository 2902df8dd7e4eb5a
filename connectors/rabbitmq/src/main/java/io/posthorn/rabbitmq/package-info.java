/** Delivers messages to RabbitMQ, confirmed one by one, and receives them from queues. */
@NullMarked
package io.posthorn.rabbitmq;

import org.jspecify.annotations.NullMarked;
