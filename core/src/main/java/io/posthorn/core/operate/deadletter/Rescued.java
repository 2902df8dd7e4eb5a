package io.posthorn.core.operate.deadletter;

import java.util.Map;
import java.util.UUID;

/**
 * The result of a rescue.
 *
 * @param done the number of letters that were requeued or discarded
 * @param refused for each letter that was left unchanged, why
 */
public record Rescued(int done, Map<UUID, String> refused) {}
