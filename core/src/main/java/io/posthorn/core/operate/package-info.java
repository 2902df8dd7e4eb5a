/**
 * What people operate: one package per task. {@link io.posthorn.core.operate.OperatorStore} is the
 * side of a store that all of them use.
 *
 * <ul>
 *   <li><b>See.</b> {@link io.posthorn.core.operate.status} and {@link
 *       io.posthorn.core.operate.figures} show the state of everything, for people and for metrics.
 *       {@link io.posthorn.core.operate.story} finds messages and their histories. {@link
 *       io.posthorn.core.operate.doctor} checks whether the database is as delivery needs it.
 *   <li><b>Steer.</b> {@link io.posthorn.core.operate.steering} pauses, limits and retries
 *       deliveries while they run.
 *   <li><b>Rescue.</b> {@link io.posthorn.core.operate.deadletter} requeues or discards dead
 *       letters, and {@link io.posthorn.core.operate.operation} does so in bulk and sends messages
 *       again.
 *   <li><b>Keep and restore.</b> {@link io.posthorn.core.operate.retention} removes finished
 *       messages, {@link io.posthorn.core.operate.archive} keeps them elsewhere, and {@link
 *       io.posthorn.core.operate.restore} puts a restored or copied database into service.
 *   <li><b>Account.</b> {@link io.posthorn.core.operate.audit} records every change: who, what,
 *       when and why.
 * </ul>
 */
@NullMarked
package io.posthorn.core.operate;

import org.jspecify.annotations.NullMarked;
