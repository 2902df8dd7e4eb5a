package io.posthorn.kotlin

import io.posthorn.core.Posthorn
import io.posthorn.core.error.PosthornException
import io.posthorn.core.message.MessageKey
import io.posthorn.core.operate.status.Status
import io.posthorn.testservers.EmbeddedPostgres
import java.io.IOException
import java.util.Queue
import java.util.UUID
import java.util.concurrent.ConcurrentLinkedQueue
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test

data class UserRegistered(@get:MessageKey("user") val email: String, val name: String? = null)

data class Welcomed(val email: String)

interface AccountEvent {
    val account: UUID
}

data class AccountOpened(override val account: UUID) : AccountEvent

data class TwoKeys(@get:MessageKey("user") val user: String, @get:MessageKey("shop") val shop: String)

class NotAnEvent

class PosthornKotlinTest {
    private val postgres = EmbeddedPostgres.shared()
    private val dataSource = postgres.dataSource(postgres.freshDatabase())
    private val seen: Queue<String> = ConcurrentLinkedQueue()

    private fun posthorn() = Posthorn.on(dataSource).environment("test").migrate()

    @Test
    fun `a data class is an event, and its block handles it once`() {
        posthorn()
            .handle<UserRegistered>("welcome-mail") { seen.add("${it.email} ${it.name} ${attempt()}") }
            .start()
            .use { posthorn ->
                posthorn.transaction { outbox.add(UserRegistered("ada@example.org")) }
                await().untilAsserted {
                    assertThat(seen).containsExactly("ada@example.org null 1")
                }
            }
    }

    @Test
    fun `what a handler publishes follows from what it handles`() {
        posthorn()
            .handle<UserRegistered>("welcome-mail") { publish(Welcomed(it.email)) }
            .consumer("audit") { audit ->
                audit.on<Welcomed> { seen.add("${it.email} ${correlationId()}") }
            }
            .start()
            .use { posthorn ->
                posthorn.transaction {
                    outbox.message(UserRegistered("ada@example.org")).correlationId("c-1").add()
                }
                await().untilAsserted { assertThat(seen).containsExactly("ada@example.org c-1") }
            }
    }

    @Test
    fun `a transaction returns the result of its block`() {
        posthorn().start().use { posthorn ->
            val name: String = posthorn.transaction { connection.catalog }
            val nothing: String? = posthorn.transaction { null }
            assertThat(name).isNotEmpty()
            assertThat(nothing).isNull()
        }
    }

    /** Kotlin declares no exceptions: one that Java calls checked must roll back, too. */
    @Test
    fun `any exception rolls a transaction back`() {
        posthorn().start().use { posthorn ->
            assertThatThrownBy {
                    posthorn.transaction {
                        outbox.add(UserRegistered("ghost@example.org"))
                        throw IOException("the disk is gone")
                    }
                }
                .isInstanceOf(IOException::class.java)
            assertThat(keys()).isEmpty()
        }
    }

    @Test
    fun `a rule keys all events of an interface`() {
        val account = UUID.randomUUID()
        posthorn().keyedBy<AccountEvent>("account") { it.account }.start().use { posthorn ->
            posthorn.transaction { outbox.add(AccountOpened(account)) }
            assertThat(keys()).containsExactly("account/$account")
            val status: Status = posthorn.status()
            assertThat(status.relays()).isEmpty()
        }
    }

    @Test
    fun `a class that is registered is checked before the start`() {
        assertThatThrownBy { posthorn().type<TwoKeys>() }
            .isInstanceOf(PosthornException::class.java)
            .hasMessageContaining("several components or methods with @MessageKey")
    }

    @Test
    fun `any other class is no event`() {
        posthorn().start().use { posthorn ->
            assertThatThrownBy { posthorn.transaction { outbox.add(NotAnEvent()) } }
                .hasMessageContaining("POSTHORN-001")
        }
    }

    private fun keys(): List<String> =
        dataSource.connection.use { connection ->
            connection.createStatement().use { statement ->
                statement.executeQuery("SELECT aggregate_type || '/' || key FROM posthorn_log").use {
                    generateSequence { if (it.next()) it.getString(1) else null }.toList()
                }
            }
        }
}
