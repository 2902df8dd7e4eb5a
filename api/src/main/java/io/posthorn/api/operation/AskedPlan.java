package io.posthorn.api.operation;

import io.posthorn.api.deadletter.LetterFilter;
import io.posthorn.api.request.AskedKey;
import io.posthorn.api.request.Requests;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Action;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an operation is to do.
 *
 * @param action required
 * @param letters which dead letters, for actions on dead letters; {@code {}} selects all that wait
 * @param messages which messages, for RESEND and REWIND
 * @param canary how many to process first; the rest follows when these have arrived
 * @param ratePerSecond the most per second; default: as fast as they are delivered
 * @param stopAt the share of dead outcomes above which it stops by itself; default: 0.5
 * @param why the reason, for the audit; not needed for a preview
 */
public record AskedPlan(
    @Nullable Action action,
    @Nullable LetterFilter letters,
    @Nullable Sent messages,
    @Nullable Integer canary,
    @Nullable Double ratePerSecond,
    @Nullable Double stopAt,
    @Nullable String why) {

  /**
   * Messages of the log that were sent to one destination.
   *
   * @param destination required
   * @param from only messages stored at this time or later; required for REWIND
   * @param to only messages stored before this time
   */
  public record Sent(
      @Nullable String destination,
      @Nullable String from,
      @Nullable String to,
      @Nullable String type,
      @Nullable AskedKey key,
      @Nullable List<UUID> ids) {
    SentQuery query() {
      List<UUID> only = ids == null ? List.of() : Requests.ids(ids);
      if (only.isEmpty() && from == null && to == null && type == null && key == null) {
        throw Requests.wrong(
            "no operation was started: 'messages' selects everything. Name ids, a type, a key or a time.");
      }
      return SentQuery.to(Requests.required("messages.destination", destination))
          .between(Requests.time("messages.from", from), Requests.time("messages.to", to))
          .ofType(type)
          .ofKey(AskedKey.of(key))
          .only(only);
    }

    Instant since() {
      return Objects.requireNonNull(
          Requests.time("messages.from", Requests.required("messages.from", from)));
    }
  }

  Plan plan() {
    Action what = Requests.required("action", action);
    Plan plan = what.ofLetters() ? ofLetters(what) : ofMessages(what);
    if (ratePerSecond != null) {
      plan = plan.withRate(ratePerSecond);
    }
    if (canary != null && canary != 0) {
      plan = plan.withCanary(canary);
    }
    return stopAt == null ? plan : plan.stoppingAt(stopAt);
  }

  private Plan ofLetters(Action what) {
    DeadLetterQuery query = Requests.required("letters", letters).query();
    return switch (what) {
      case REQUEUE -> Plan.requeue(query);
      case REQUEUE_NEW_ID -> Plan.requeueUnderNewIds(query);
      case SEND_ONCE -> Plan.sendOnce(query);
      case DISCARD -> Plan.discard(query);
      case RESEND, REWIND -> throw new IllegalArgumentException(what.name());
    };
  }

  private Plan ofMessages(Action what) {
    Sent sent = Requests.required("messages", messages);
    return what == Action.REWIND
        ? Plan.rewind(Requests.required("messages.destination", sent.destination()), sent.since())
        : Plan.resend(sent.query());
  }
}
