package io.posthorn.core.message;

import java.util.Optional;

/** Looks at a message before it is stored. */
@FunctionalInterface
public interface Validator {
  /** Returns what is wrong with the message, in words for its author; empty if nothing is. */
  Optional<String> problemWith(Message message);

  /** Both must agree; the first problem counts. */
  default Validator and(Validator next) {
    return message -> problemWith(message).or(() -> next.problemWith(message));
  }
}
