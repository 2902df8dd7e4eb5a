package io.posthorn.testkit;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/**
 * A connector, the real server it sends to, and the means to break it: what a {@link
 * ConnectorContract} works on. One fixture serves one test; the server behind it may be shared.
 * What a kind of server cannot do is left out of {@link #can}, and its method is never called.
 */
public interface ConnectorFixture extends AutoCloseable {
  /** What a test can do to a server. */
  enum Ability {
    /** It can be stopped, and started again on the same port with what it had. */
    STOP,
    /** It can freeze with its connections open. */
    FREEZE,
    /** All its connections can be cut at any moment, while it goes on. */
    CUT,
    /** The address can be missing. */
    LACK_ADDRESS,
    /** It refuses messages over a size. */
    REFUSE_LARGE,
    /** It refuses one message for what is in it. */
    REFUSE,
    /** It can fail some of the messages at random, and accept them when they come again. */
    FAIL_SOME
  }

  /** In the matrix, for example {@code kafka}. */
  String name();

  Set<Ability> can();

  /** A new connector to the fixed address that {@link #arrived} reads; the contract closes it. */
  Connector connector();

  /** The destination's send timeout, which the connector is configured to keep. */
  Duration sendTimeout();

  /**
   * All that arrived since the test began, in the order of arrival within a key, copies too. What
   * the server lets a receiver see of id, type, key, headers, content type and payload.
   */
  List<Message> arrived();

  default void stop() {
    throw new UnsupportedOperationException();
  }

  default void start() {
    throw new UnsupportedOperationException();
  }

  default void freeze() {
    throw new UnsupportedOperationException();
  }

  default void thaw() {
    throw new UnsupportedOperationException();
  }

  /** Cuts every connection there is; new ones are let through. */
  default void cut() {
    throw new UnsupportedOperationException();
  }

  default void removeAddress() {
    throw new UnsupportedOperationException();
  }

  /** What arrives at the address from now on is read by {@link #arrived} again. */
  default void restoreAddress() {
    throw new UnsupportedOperationException();
  }

  /** From now on it fails some of the messages at random, or none. */
  default void failSome(boolean some) {
    throw new UnsupportedOperationException();
  }

  /** A message larger than the server takes. */
  default Message tooLarge() {
    throw new UnsupportedOperationException();
  }

  /** A message the server refuses for what is in it. */
  default Message refused() {
    throw new UnsupportedOperationException();
  }

  /** Where the application of the test writes, with the tables of the store and nothing in them. */
  DataSource dataSource();

  /** The store on {@link #dataSource}. */
  Store store();

  /** The server works and has the address, whatever the test did to it. */
  @Override
  void close();
}
