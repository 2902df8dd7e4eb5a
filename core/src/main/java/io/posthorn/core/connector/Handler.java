package io.posthorn.core.connector;

import io.posthorn.core.message.Message;

/** Handles one message in this program, for example by sending the welcome mail. */
@FunctionalInterface
public interface Handler {
  /** Returning means handled; what is thrown is classified (see {@link Classifier}). */
  void handle(Message message) throws Exception;
}
