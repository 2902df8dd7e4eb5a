package io.posthorn.testservers;

import java.io.IOException;

/** The faults that remember nothing. */
enum SteadyFault implements Fault {
  PASS {
    @Override
    void decide(ProxyConnection connection, Direction direction, byte[] chunk) throws IOException {
      connection.forward(direction, chunk);
    }
  },

  /** Existing connections live on; there are no new ones. */
  REFUSE {
    @Override
    void decide(ProxyConnection connection, Direction direction, byte[] chunk) throws IOException {
      connection.forward(direction, chunk);
    }
  },

  /** Existing connections end when it is set, new ones as soon as they are made. */
  RESET {
    @Override
    void decide(ProxyConnection connection, Direction direction, byte[] chunk) {
      connection.reset();
    }
  },

  /** Swallows. A connection that has lost a byte can never be made whole, so it stays that way. */
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
