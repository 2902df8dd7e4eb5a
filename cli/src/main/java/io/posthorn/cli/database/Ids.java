package io.posthorn.cli.database;

import io.posthorn.cli.CommandFailed;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.id.IdKind;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.story.Messages;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Completes ids of which the user wrote only the beginning. */
public record Ids(OperatorStore store, IdKind kind) {
  private static final int MOST_SHOWN = 10;

  public static Ids ofMessages(OperatorStore store) {
    return new Ids(store, IdKind.MESSAGE);
  }

  public static Ids ofLetters(OperatorStore store) {
    return new Ids(store, IdKind.LETTER);
  }

  public static Ids ofOperations(OperatorStore store) {
    return new Ids(store, IdKind.OPERATION);
  }

  /** Returns all of them, and fails if one is unknown or ambiguous. */
  public List<UUID> whole(List<IdPrefix> prefixes) {
    return prefixes.stream().map(this::whole).toList();
  }

  /**
   * Returns the only id that begins so; fails if there is none, or more than one. A whole id is not
   * looked up: the command itself says what it knows of it.
   */
  public UUID whole(IdPrefix prefix) {
    if (prefix.isWhole()) {
      return prefix.first();
    }
    List<UUID> found = store.ids(kind, prefix, MOST_SHOWN + 1);
    if (found.size() == 1) {
      return found.get(0);
    }
    if (found.isEmpty()) {
      throw new CommandFailed(
          "nothing was done: no %s has an id that begins with '%s'".formatted(name(), prefix),
          null);
    }
    throw new CommandFailed(
        "nothing was done: %s %ss have ids that begin with '%s'; write more of the id"
            .formatted(
                found.size() > MOST_SHOWN ? "more than " + MOST_SHOWN : found.size(),
                name(),
                prefix),
        String.join(
            System.lineSeparator(), found.stream().limit(MOST_SHOWN).map(this::described).toList()),
        null);
  }

  private String name() {
    return switch (kind) {
      case MESSAGE -> "message";
      case LETTER -> "dead letter";
      case OPERATION -> "operation";
    };
  }

  private String described(UUID id) {
    return "  " + id + "  " + description(id);
  }

  private String description(UUID id) {
    return switch (kind) {
      case MESSAGE ->
          Messages.on(store)
              .find(id)
              .map(x -> line(x.message().type(), x.message().key(), Answer.time(x.recordedAt())))
              .orElse("");
      case LETTER ->
          DeadLetters.on(store)
              .find(id)
              .map(x -> x.letter())
              .map(x -> line(x.type(), x.key(), x.destination() + "  " + x.lastReason()))
              .orElse("");
      case OPERATION ->
          Operations.on(store)
              .find(id)
              .map(x -> line(x.plan().action().name(), null, Answer.time(x.createdAt())))
              .orElse("");
    };
  }

  private static String line(String what, @Nullable Key key, String rest) {
    return what + "  " + (key == null ? "" : key + "  ") + rest;
  }
}
