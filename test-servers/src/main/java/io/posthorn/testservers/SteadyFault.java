package io.posthorn.testservers;

import java.io.IOException;

/** The faults without memory. */
enum SteadyFault implements Fault {
  PASS {
    @Override
    void decide(ProxyConnection connection, Direction direction, byte[] chunk) throws IOException {
      connection.forward(direction, chunk);
    }
  },

  /** Existing connections live on; new ones are refused. */
  REFUSE {
    @Override
    void decide(ProxyConnection connection, Direction direction, byte[] chunk) throws IOException {
      connection.forward(direction, chunk);
    }
  },

  /** Existing connections end when it is set, new ones as soon as they are accepted. */
  RESET {
    @Override
    void decide(ProxyConnection connection, Direction direction, byte[] chunk) {
      connection.reset();
    }
  },

  /** Swallows all bytes. A connection that has lost a byte cannot recover, so it stays that way. */
  DROP {
    @Override
    void decide(ProxyConnection connection, Direction direction, byte[] chunk) {
      connection.swallowFromNowOn();
    }
  };

  abstract void decide(ProxyConnection connection, Direction direction, byte[] chunk)
      throws IOException;

  @Override
  public boolean carry(ProxyConnection connection, Direction direction, byte[] chunk)
      throws IOException {
    decide(connection, direction, chunk);
    return true;
  }
}
