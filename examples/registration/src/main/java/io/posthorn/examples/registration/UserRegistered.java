package io.posthorn.examples.registration;

import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import java.util.UUID;

@OutboxMessage
record UserRegistered(@MessageKey("user") UUID userId, String name, String email) {}
