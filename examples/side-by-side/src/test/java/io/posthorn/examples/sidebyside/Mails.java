package io.posthorn.examples.sidebyside;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends mails, and fails as often as a test wants. */
public class Mails {
  final Queue<String> sent = new ConcurrentLinkedQueue<>();
  final AtomicInteger failures = new AtomicInteger();

  /** Sends the welcome mail. */
  public void welcome(String email) {
    if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IllegalStateException("the mail server is down");
    }
    sent.add(email);
  }
}
