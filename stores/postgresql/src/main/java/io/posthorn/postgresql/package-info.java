/**
 * The outbox as a log in PostgreSQL 15 or newer: the door, and the rooms behind it.
 *
 * <p><b>The door</b> is {@link io.posthorn.postgresql.PostgresqlStore}, {@link
 * io.posthorn.postgresql.Migrations}, {@link io.posthorn.postgresql.Tables} and {@link
 * io.posthorn.postgresql.Grants}. Other modules use only these, and no room uses the door.
 *
 * <h2>The rooms</h2>
 *
 * <p>A room uses only rooms further down. The head of {@code log} explains how the log works.
 *
 * <pre>
 * what people do: operate
 *   doctor      → figures steering schema
 *   figures     → retention archive steering schema
 *   restore     → archive route parked lane schema audit
 *   operation   → deadletter story steering parked lane message audit
 *   deadletter  → story parked lane message audit
 *   steering    → log route parked lane message schema audit
 *   retention   → archive log route parked lane schema audit
 *   archive     → schema audit
 *   story       → message schema
 * what relays do
 *   log         claim and settle       → route parked lane message
 *   route       which type goes where  → parked lane message schema
 *   parked      outside the log        → lane message schema
 *   lane        owner, lock, cursor
 * what applications do
 *   inbox       received               → message schema audit
 *   message     added, and read
 * what all use; each room uses sql
 *   operate.audit
 *   schema      tables, leaves, rights
 *   sql         transactions, statements, errors
 * </pre>
 */
@NullMarked
package io.posthorn.postgresql;

import org.jspecify.annotations.NullMarked;
