package io.posthorn.core;

import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.store.Store;

/** Everything that one database does for programs, relays and people. */
public interface DatabaseStore extends Store, InboxStore, OperatorStore {
  /** Creates the tables, or brings them to the version of this program. */
  void migrate();
}
