package io.posthorn.envelope;

import java.util.Map;

/**
 * A message in the form in which a broker carries it.
 *
 * @param contentType the body's content type; each transport has its own place for it
 * @param headers all other headers, ready to be sent: names carry the transport's prefix, values
 *     its encoding
 */
@SuppressWarnings("ArrayRecordComponent") // bodies are bytes; see Message
public record Envelope(String contentType, Map<String, String> headers, byte[] body) {}
