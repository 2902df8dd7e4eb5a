package io.posthorn.core.message;

import org.jspecify.annotations.Nullable;

/**
 * Encrypts payloads before they are stored and decrypts them before they are sent. The id of the
 * key in use is stored beside the payload, so that keys can be rotated.
 */
public interface PayloadCipher {
  /** Leaves payloads as they are. */
  PayloadCipher NONE =
      new PayloadCipher() {
        @Override
        public @Nullable String keyId(Message message) {
          return null;
        }

        @Override
        public byte[] encrypt(Message message, String keyId) {
          throw new IllegalStateException("no key, nothing to encrypt");
        }

        @Override
        public byte[] decrypt(Message message, String keyId) {
          throw new IllegalStateException(
              "the payload is encrypted with key '" + keyId + "', and this relay has no cipher");
        }
      };

  /** The key to encrypt this message with; null stores it as it is. */
  @Nullable String keyId(Message message);

  byte[] encrypt(Message message, String keyId);

  byte[] decrypt(Message message, String keyId);
}
