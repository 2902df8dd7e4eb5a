package io.posthorn.core.message;

/**
 * Converts events to payloads and back. {@code posthorn-json} brings one for JSON; programs find it
 * as a service.
 */
public interface PayloadMapper extends PayloadWriter, PayloadReader {}
