package io.posthorn.rabbitmq;

import java.util.concurrent.ThreadFactory;

/** Makes daemon threads, which do not keep a program running. */
final class Threads {
  private Threads() {}

  static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
