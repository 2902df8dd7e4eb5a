package io.posthorn.examples.registration;

import io.posthorn.spring.OutboxMessage;
import java.util.UUID;

@OutboxMessage(type = "UserRegistered", aggregate = "user", key = "userId")
record UserRegistered(UUID userId, String name, String email) {}
