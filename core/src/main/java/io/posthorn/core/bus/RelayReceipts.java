package io.posthorn.core.bus;

import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.InboxResult;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.source.Received;
import java.sql.Connection;
import java.util.List;

/** The receipts of messages that a relay hands over. */
record RelayReceipts(InboxStore inbox, Consumer consumer) implements Batches.Receipts {
  @Override
  public InboxResult write(Connection tx, List<Received> messages) {
    return new InboxResult(inbox.handle(tx, consumer, messages), List.of());
  }

  @Override
  public void seal(Connection tx) {
    inbox.seal(tx);
  }
}
