package io.posthorn.core.message;

import java.util.Optional;

/** Checks a message before it is stored, and can refuse it. */
@FunctionalInterface
public interface Validator {
  /** Returns what is wrong with the message, worded for its author; empty if it is valid. */
  Optional<String> problemWith(Message message);

  /** A validator that runs both and reports the first problem. */
  default Validator and(Validator next) {
    return message -> problemWith(message).or(() -> next.problemWith(message));
  }
}
