package io.posthorn.kotlin

import io.posthorn.core.Posthorn
import io.posthorn.core.outbox.MessageDraft
import java.sql.Connection

/** A running transaction; use it only until its block ends. */
public class OutboxTransaction(private val posthorn: Posthorn, public val connection: Connection) {
    /** This transaction's outbox. */
    public val outbox: OutboxTransaction
        get() = this

    /** Adds an event; see [Posthorn.add]. */
    public fun add(event: Any): Unit = posthorn.add(connection, event)

    /** Starts the message of an event, for you to complete and add. */
    public fun message(event: Any): MessageDraft = posthorn.message(connection, event)
}

/**
 * Runs the block in a transaction of its own, and returns its result. Commits if the block returns,
 * rolls back if it throws, and wakes the relay of this program after the commit.
 *
 * ```
 * posthorn.transaction {
 *     insertUser(connection, email)
 *     outbox.add(UserRegistered(email))
 * }
 * ```
 */
public fun <T> Posthorn.transaction(block: OutboxTransaction.() -> T): T =
    callInTransaction { OutboxTransaction(this, it).block() }
