package io.posthorn.core.message;

import org.jspecify.annotations.Nullable;

/**
 * Encrypts payloads before they are stored, and decrypts them before they are sent. The id of the
 * key is stored beside each payload, so you can rotate keys while older messages are still waiting.
 */
public interface PayloadCipher {
  /** Stores payloads unencrypted. */
  PayloadCipher NONE =
      new PayloadCipher() {
        @Override
        public @Nullable String keyId(Message message) {
          return null;
        }

        @Override
        public byte[] encrypt(Message message, String keyId) {
          throw new IllegalStateException(
              "no cipher is configured, so there is no key to encrypt with");
        }

        @Override
        public byte[] decrypt(Message message, String keyId) {
          throw new IllegalStateException(
              "the payload is encrypted with key '" + keyId + "', but this relay has no cipher");
        }
      };

  /** The id of the key to encrypt this message with; null stores its payload unencrypted. */
  @Nullable String keyId(Message message);

  /** Returns the payload of the message, encrypted with this key. */
  byte[] encrypt(Message message, String keyId);

  /** Returns the payload of the message, decrypted with this key. */
  byte[] decrypt(Message message, String keyId);
}
