/**
 * The core of Posthorn: the API, the engine, and the interfaces to databases and brokers.
 *
 * <p>Its packages form four groups:
 *
 * <ul>
 *   <li><b>What programs use.</b> {@link io.posthorn.core.message} defines messages and their
 *       types. {@link io.posthorn.core.outbox} adds them to your transaction. {@link
 *       io.posthorn.core.bus} publishes events and calls your handlers. {@link
 *       io.posthorn.core.inbox} makes sure that what you receive takes effect once.
 *   <li><b>The seams.</b> {@link io.posthorn.core.connector} is the interface to brokers and
 *       handlers for sending, {@link io.posthorn.core.source} the one for receiving, and {@link
 *       io.posthorn.core.store} the one to databases.
 *   <li><b>The engine.</b> {@link io.posthorn.core.relay} claims messages, sends them in the order
 *       of their keys, and settles the results.
 *   <li><b>What people operate.</b> {@link io.posthorn.core.operate} contains one package per task,
 *       from dead letters to retention.
 * </ul>
 *
 * <p>{@link io.posthorn.core.error} has the one exception and its codes. {@link
 * io.posthorn.core.observe} and {@link io.posthorn.core.trace} let you watch all of it.
 */
@NullMarked
package io.posthorn.core;

import org.jspecify.annotations.NullMarked;
