package io.posthorn.api.operation;

import io.posthorn.api.mask.PayloadView;
import io.posthorn.core.operate.operation.Action;
import io.posthorn.core.operate.operation.Operation;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A bulk action and its progress.
 *
 * @param selection what it works on, as names and values
 * @param by who started it
 * @param total the messages or letters it selected when it was started
 * @param done those it has processed
 * @param refused those it left alone, because they changed meanwhile
 * @param sent of those done, the ones that were sent
 * @param died of those done, the ones that died again or were skipped
 * @param retrying of those done, the ones that failed and are being retried
 * @param underWay how many are still being delivered
 * @param waitsForCanary whether it waits for the outcomes of its canary
 * @param note why it was stopped
 */
public record ShownOperation(
    UUID id,
    Action action,
    Map<String, String> selection,
    int canary,
    @Nullable Double ratePerSecond,
    double stopAt,
    Operation.State state,
    String by,
    String why,
    Instant createdAt,
    @Nullable Instant endedAt,
    long total,
    long done,
    long refused,
    long sent,
    long died,
    long retrying,
    long underWay,
    boolean waitsForCanary,
    @Nullable String note) {
  static ShownOperation of(Operation one, PayloadView view) {
    return new ShownOperation(
        one.id(),
        one.plan().action(),
        view.selection(one.plan().selection()),
        one.plan().canary(),
        one.plan().ratePerSecond(),
        one.plan().stopAt(),
        one.state(),
        one.by().who(),
        one.by().why(),
        one.createdAt(),
        one.endedAt(),
        one.total(),
        one.done(),
        one.refused(),
        one.sent(),
        one.died(),
        one.retrying(),
        one.underWay(),
        one.waitsForCanary(),
        one.note());
  }
}
