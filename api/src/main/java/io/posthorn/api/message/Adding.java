package io.posthorn.api.message;

import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Adds messages in a transaction of their own. The id of each makes repeating it safe. */
record Adding(OperatedDatabase database) {
  AddingController.Added add(List<Message> messages) {
    Outbox outbox = database.outbox();
    DataSource dataSource = database.dataSource();
    if (outbox == null || dataSource == null) {
      throw new PosthornException(
          ErrorCode.MISSING_RIGHTS,
          "nothing was added: database '%s' takes no messages here. The configuration must name the types that it takes."
              .formatted(database.name()));
    }
    List<UUID> ids = messages.stream().map(Message::id).toList();
    try {
      store(outbox, dataSource, messages);
      return new AddingController.Added(ids, List.of());
    } catch (PosthornException e) {
      if (e.code() != ErrorCode.DUPLICATE_ID || ids.stream().distinct().count() < ids.size()) {
        throw e;
      }
    }
    // Some were added before: a repeated request, or an id that was used twice.
    List<Message> rest = new ArrayList<>();
    List<UUID> repeated = new ArrayList<>();
    for (Message message : messages) {
      if (wasAdded(message)) {
        repeated.add(message.id());
      } else {
        rest.add(message);
      }
    }
    if (!rest.isEmpty()) {
      store(outbox, dataSource, rest);
    }
    return new AddingController.Added(ids, repeated);
  }

  private boolean wasAdded(Message message) {
    Optional<Message> stored = database.messages().find(message.id()).map(story -> story.message());
    if (stored.isEmpty()) {
      return false;
    }
    Message before = stored.get();
    if (before.type().equals(message.type())
        && Objects.equals(before.key(), message.key())
        && Arrays.equals(before.payload(), message.payload())) {
      return true;
    }
    throw new PosthornException(
        ErrorCode.ID_REUSED,
        "nothing was added: message %s was added before with another content. Choose a new id for each message."
            .formatted(message.id()));
  }

  private static void store(Outbox outbox, DataSource dataSource, List<Message> messages) {
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      try {
        outbox.add(tx, messages);
        tx.commit();
      } catch (SQLException | RuntimeException e) {
        tx.rollback();
        throw e;
      } finally {
        tx.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw new PosthornException(
          ErrorCode.STORE_FAILED,
          "it is not known whether the messages were added: the database did not confirm it. Repeat the request with the same ids.",
          e);
    }
    outbox.wake();
  }
}
