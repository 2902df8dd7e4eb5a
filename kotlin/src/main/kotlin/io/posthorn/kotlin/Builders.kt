package io.posthorn.kotlin

import io.posthorn.core.Posthorn
import io.posthorn.core.bus.Handling
import io.posthorn.core.bus.Subscription

/**
 * Handles events of the class [T], each once in effect. The block gets the event as `it`, and is
 * called on the [Handling]: what it writes through `connection()` or publishes is committed
 * together with the receipt of the message.
 *
 * ```
 * .handle<UserRegistered>("welcome-mail") { mails.welcome(it.email) }
 * ```
 *
 * @param consumer the name that the database knows the consumer by
 */
public inline fun <reified T : Any> Posthorn.Builder.handle(
    consumer: String,
    noinline handler: Handling.(T) -> Unit,
): Posthorn.Builder = handle(consumer, T::class.java) { event, handling -> handling.handler(event) }

/** Handles events of the class [T]; see [handle]. */
public inline fun <reified T : Any> Subscription.on(
    noinline handler: Handling.(T) -> Unit,
): Subscription = on(T::class.java) { event, handling -> handling.handler(event) }

/** Registers the class [T] of events, and so checks it at the start. */
public inline fun <reified T : Any> Posthorn.Builder.type(): Posthorn.Builder = types(T::class.java)

/**
 * Sets the key of all events of the class or interface [T], for those without `@MessageKey`.
 *
 * ```
 * .keyedBy<OrderEvent>("order") { it.orderId }
 * ```
 *
 * @param aggregateType the type of the aggregate, for example `order`
 * @param id reads the id of the aggregate from an event
 */
public inline fun <reified T : Any> Posthorn.Builder.keyedBy(
    aggregateType: String,
    noinline id: (T) -> Any,
): Posthorn.Builder = keyedBy(T::class.java, aggregateType, id)
