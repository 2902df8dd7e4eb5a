package io.posthorn.core.store;

/** One database's implementation of what applications and relays need. */
public interface Store extends OutboxStore, RelayStore, MessageStore {}
