package io.posthorn.kotlin

import io.posthorn.core.Posthorn
import io.posthorn.core.connector.Connector
import io.posthorn.core.message.Key
import io.posthorn.core.message.Message
import io.posthorn.core.message.PayloadCipher
import io.posthorn.core.message.PayloadMapper
import io.posthorn.core.message.Validator
import io.posthorn.core.observe.Event
import io.posthorn.core.observe.Observer
import java.time.Instant
import java.util.Optional
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/**
 * Kotlin sees which values can be null: with strict JSpecify and warnings as errors, this file
 * compiles only if each `?` here is one in the API, and none is missing.
 */
class NullnessTest {
    private class Rot13 : PayloadCipher {
        override fun keyId(message: Message): String? = if (message.key() == null) null else "k1"

        override fun encrypt(message: Message, keyId: String): ByteArray = message.payload()

        override fun decrypt(message: Message, keyId: String): ByteArray = message.payload()
    }

    private class Text : PayloadMapper {
        override fun write(event: Any): ByteArray = event.toString().toByteArray()

        override fun read(payload: ByteArray, eventClass: Class<*>): Any? = null
    }

    private class Counting : Observer {
        override fun on(event: Event) = Unit
    }

    @Test
    fun `what may be null in Java may be null in Kotlin, and nothing else`() {
        val message: Message = Message.of("OrderPlaced").build()
        val key: Key? = message.key()
        val notBefore: Instant? = message.notBefore()
        val validator = Validator { given: Message -> Optional.of(given.type()) }
        assertThat(key?.id()).isNull()
        assertThat(notBefore?.epochSecond).isNull()
        assertThat(Rot13().keyId(message)).isNull()
        assertThat(Text().read(message.payload(), String::class.java)).isNull()
        assertThat(validator.problemWith(message)).contains("OrderPlaced")
        assertThat(message.correlationId().length).isPositive()
    }

    @Suppress("unused")
    private fun everything(builder: Posthorn.Builder, connector: Connector): Posthorn =
        builder.cipher(Rot13()).payloads(Text(), Text()).observer(Counting()).start().also {
            connector.close()
            it.deadLetters().hashCode()
        }
}
