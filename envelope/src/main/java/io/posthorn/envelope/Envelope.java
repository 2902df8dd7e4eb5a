package io.posthorn.envelope;

import java.util.Map;

/**
 * A message as a broker carries it.
 *
 * @param contentType of the body; each transport has its own place for it
 * @param headers all others, ready to be sent: names carry the transport's prefix, values its
 *     encoding
 */
@SuppressWarnings("ArrayRecordComponent") // bodies are bytes; see Message
public record Envelope(String contentType, Map<String, String> headers, byte[] body) {}
