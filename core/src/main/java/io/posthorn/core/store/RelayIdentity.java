package io.posthorn.core.store;

import java.util.UUID;

/**
 * One run of one relay.
 *
 * @param id random, and new with every start
 * @param name a name for people
 * @param application the application whose destinations it serves
 */
public record RelayIdentity(UUID id, String name, String application) {}
