package io.posthorn.core.bus;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Death;
import io.posthorn.core.inbox.InboxResult;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Unreadable;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The receipts of messages that arrive from a source. A message that the handlers cannot get is
 * parked or buried here, in its place among the others: a later message of the same key must find
 * it there.
 */
final class SourceReceipts implements Batches.Receipts {
  private final InboxStore inbox;
  private final Consumer consumer;
  private final Handlers handlers;
  private final Mode mode;
  private final UnknownTypes unknown;

  SourceReceipts(
      InboxStore inbox, Consumer consumer, Handlers handlers, Mode mode, UnknownTypes unknown) {
    this.inbox = inbox;
    this.consumer = consumer;
    this.handlers = handlers;
    this.mode = mode;
    this.unknown = unknown;
  }

  @Override
  public InboxResult write(Connection tx, List<Received> messages) {
    List<InboxVerdict> verdicts = new ArrayList<>(messages.size());
    List<Death> deaths = new ArrayList<>();
    List<Received> run = new ArrayList<>(messages.size());
    for (Received received : messages) {
      Reason unfit = unfit(received);
      if (unfit == null && isReadable(received.message())) {
        run.add(received);
      } else {
        take(tx, run, verdicts, deaths);
        if (verdicts.contains(InboxVerdict.PAUSED)) {
          break;
        }
        InboxResult put = parkOrBury(tx, received, unfit);
        verdicts.addAll(put.verdicts());
        deaths.addAll(put.deaths());
      }
    }
    take(tx, run, verdicts, deaths);
    // Everything behind a kept message is kept too: no later message may be parked before it.
    while (verdicts.size() < messages.size()) {
      verdicts.add(InboxVerdict.PAUSED);
    }
    return new InboxResult(verdicts, deaths);
  }

  @Override
  public void seal(Connection tx) {
    inbox.seal(tx);
  }

  /** Why no handler can get this message; null if one may. */
  private static @Nullable Reason unfit(Received received) {
    if (received.message().type().equals(Unreadable.TYPE)) {
      return Unreadable.reason(received.message()).orElseThrow();
    }
    return Storable.is(received)
        ? null
        : Reason.of(
            Reason.VALIDATION_ERROR,
            "its type, key, sender, content type or a header is too long or has characters that cannot be stored, or its time is outside the years 1 to 9999; this dead letter has corrected values");
  }

  private boolean isReadable(Message message) {
    return handlers.has(message.type())
        && handlers.versionProblem(message.type(), message.schemaVersion()).isEmpty();
  }

  private void take(
      Connection tx, List<Received> run, List<InboxVerdict> verdicts, List<Death> deaths) {
    if (run.isEmpty()) {
      return;
    }
    List<Received> all = List.copyOf(run);
    InboxResult taken =
        mode == Mode.DIRECT ? inbox.receive(tx, consumer, all) : inbox.store(tx, consumer, all);
    verdicts.addAll(taken.verdicts());
    deaths.addAll(taken.deaths());
    run.clear();
  }

  private InboxResult parkOrBury(Connection tx, Received received, @Nullable Reason unfit) {
    Message message = received.message();
    if (unfit != null) {
      return inbox.bury(tx, consumer, Storable.madeGood(received), unfit);
    }
    Optional<String> version = handlers.versionProblem(message.type(), message.schemaVersion());
    if (version.isPresent()) {
      return inbox.parkUnserved(tx, consumer, received, Reason.of(Reason.UNSERVED, version.get()));
    }
    if (handlers.ignores(message.type())) {
      return new InboxResult(List.of(InboxVerdict.DUPLICATE), List.of());
    }
    String why = "no handler for type '" + message.type() + "'";
    return unknown == UnknownTypes.DEAD
        ? inbox.bury(tx, consumer, received, Reason.of(Reason.UNKNOWN_TYPE, why))
        : inbox.parkUnserved(tx, consumer, received, Reason.of(Reason.UNSERVED, why));
  }
}
