package io.posthorn.core.operate.deadletter;

import java.util.Map;
import java.util.UUID;

/**
 * What a rescue did.
 *
 * @param done how many letters
 * @param refused why nothing was done to a letter, by its id
 */
public record Rescued(int done, Map<UUID, String> refused) {}
