package io.posthorn.core.store;

/** One database's implementation of both sides. */
public interface Store extends OutboxStore, RelayStore {}
