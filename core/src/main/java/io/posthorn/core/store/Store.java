package io.posthorn.core.store;

/** A database's implementation of everything that applications and relays need. */
public interface Store extends OutboxStore, RelayStore, MessageStore {}
