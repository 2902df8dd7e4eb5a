package io.posthorn.core.connector;

import io.posthorn.core.message.Message;

/** Handles one message in this program, for example by sending the welcome mail. */
@FunctionalInterface
public interface Handler {
  /**
   * Handles the message. If it returns, the message counts as handled; if it throws, a {@link
   * Classifier} decides what the exception means.
   */
  void handle(Message message) throws Exception;
}
