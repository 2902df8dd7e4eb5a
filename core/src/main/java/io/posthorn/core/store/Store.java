package io.posthorn.core.store;

/** One database's implementation of all sides. */
public interface Store extends OutboxStore, RelayStore, MessageStore, DeadLetterStore, AuditStore {}
