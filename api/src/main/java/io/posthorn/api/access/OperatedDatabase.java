package io.posthorn.api.access;

import io.posthorn.core.DatabaseStore;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.operate.story.Messages;
import io.posthorn.core.outbox.Outbox;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One database that people operate: everything of Posthorn that acts on it. */
public final class OperatedDatabase {
  private final String name;
  private final String environment;
  private final DatabaseStore store;
  private final DeadLetters deadLetters;
  private final RetentionTimes retention;
  private final Archive archive;
  private final @Nullable Outbox outbox;
  private final @Nullable DataSource dataSource;

  private OperatedDatabase(
      String name,
      String environment,
      DatabaseStore store,
      DeadLetters deadLetters,
      RetentionTimes retention,
      Archive archive,
      @Nullable Outbox outbox,
      @Nullable DataSource dataSource) {
    this.name = name;
    this.environment = environment;
    this.store = store;
    this.deadLetters = deadLetters;
    this.retention = retention;
    this.archive = archive;
    this.outbox = outbox;
    this.dataSource = dataSource;
  }

  /**
   * A database under the name that paths use.
   *
   * @param environment the environment that its relays are configured with; empty if unknown
   */
  public static OperatedDatabase of(String name, String environment, DatabaseStore store) {
    return new OperatedDatabase(
        name,
        environment,
        store,
        DeadLetters.on(store),
        RetentionTimes.DEFAULT,
        Archive.NONE,
        null,
        null);
  }

  /** Uses these dead letters, which know the application's types and cipher. */
  public OperatedDatabase with(DeadLetters letters) {
    return new OperatedDatabase(
        name, environment, store, letters, retention, archive, outbox, dataSource);
  }

  /** Sets how long its relays are configured to keep messages, and their archive. */
  public OperatedDatabase keeping(RetentionTimes times, Archive where) {
    return new OperatedDatabase(
        name, environment, store, deadLetters, times, where, outbox, dataSource);
  }

  /** Allows adding messages by this outbox, in transactions of this DataSource. */
  public OperatedDatabase adding(Outbox by, DataSource transactions) {
    return new OperatedDatabase(
        name, environment, store, deadLetters, retention, archive, by, transactions);
  }

  public String name() {
    return name;
  }

  public String environment() {
    return environment;
  }

  public DatabaseStore store() {
    return store;
  }

  public DeadLetters deadLetters() {
    return deadLetters;
  }

  public Operations operations() {
    return Operations.on(store);
  }

  public Steering steering() {
    return Steering.on(store);
  }

  public Messages messages() {
    return Messages.on(store);
  }

  public Inbox inbox() {
    return Inbox.on(store);
  }

  public Audit audit() {
    return Audit.on(store);
  }

  public Restore restore() {
    return Restore.on(store);
  }

  public RetentionTimes retention() {
    return retention;
  }

  public Archive archive() {
    return archive;
  }

  /** Adds messages; null if that is not allowed. */
  public @Nullable Outbox outbox() {
    return outbox;
  }

  /** Where transactions that add messages run; null if adding is not allowed. */
  public @Nullable DataSource dataSource() {
    return dataSource;
  }
}
