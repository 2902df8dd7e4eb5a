package io.posthorn.testkit;

import io.posthorn.core.message.Message;
import io.posthorn.core.source.Source;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A source, the real server behind it, and the means to break it: what a {@link SourceContract}
 * works on. One fixture serves one test; the server behind it may be shared. What a kind of server
 * cannot do is left out of {@link #can}, and its method is never called.
 */
public interface SourceFixture extends AutoCloseable {
  /** The sender in the envelopes of {@link #send}. */
  String SENDER = "/tests";

  /** What a test can do to a server, or with it. */
  enum Ability {
    /** It can be stopped, and started again on the same port with what it had. */
    STOP,
    /** All its connections can be cut at any moment, while it goes on. */
    CUT,
    /** Connections can die without either side noticing. */
    SWALLOW,
    /** The address can be missing. */
    LACK_ADDRESS,
    /** It can refuse a program whose credentials are wrong. */
    DENY,
    /** It can take its messages back from a feed that is alive. */
    TAKE_BACK,
    /** Another program can receive, and be killed. */
    KILL
  }

  /** In the matrix, for example {@code kafka}. */
  String name();

  Set<Ability> can();

  /** The address that {@link #send} sends to, with nothing in it at first. */
  Source source();

  /** Sends these as CloudEvents of {@link #SENDER}; messages of one key in their order. */
  void send(List<Message> messages);

  /** Sends bytes with these headers and nothing else. */
  void sendRaw(byte[] body, Map<String, String> headers);

  /** The longest time until messages of a feed that died come to another feed. */
  Duration takeover();

  /** A payload as large as it may be. */
  int largest();

  default void stop() {
    throw new UnsupportedOperationException();
  }

  default void start() {
    throw new UnsupportedOperationException();
  }

  /** Cuts every connection there is; new ones are let through. */
  default void cut() {
    throw new UnsupportedOperationException();
  }

  /** From now on all bytes sent in either direction are lost, and connections stay open. */
  default void swallow() {
    throw new UnsupportedOperationException();
  }

  /** New connections work again; connections that lost bytes never do. */
  default void swallowNoMore() {
    throw new UnsupportedOperationException();
  }

  default void removeAddress() {
    throw new UnsupportedOperationException();
  }

  default void restoreAddress() {
    throw new UnsupportedOperationException();
  }

  /** The same address with wrong credentials. */
  default Source denied() {
    throw new UnsupportedOperationException();
  }

  /**
   * Takes the messages that the feeds of this consumer hold away from them, without a notification.
   */
  default void takeBack(String consumer) {
    throw new UnsupportedOperationException();
  }

  /** Another program polls at least one message for this consumer, and is killed (SIGKILL). */
  default void receiveAndDie(String consumer) {
    throw new UnsupportedOperationException();
  }

  /** The server works and has the address, whatever the test did to it. */
  @Override
  void close();
}
