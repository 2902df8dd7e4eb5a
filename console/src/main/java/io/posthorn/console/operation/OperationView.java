package io.posthorn.console.operation;

import io.posthorn.api.mask.PayloadView;
import io.posthorn.console.page.Badge;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Step;
import io.posthorn.console.text.Words;
import io.posthorn.core.operate.operation.Action;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Plan;
import java.util.List;
import java.util.Map;

/**
 * An operation with its progress.
 *
 * @param what what it does, as a sentence without its end
 * @param sent the width of each part of the bar, in percent
 */
public record OperationView(
    Operation operation,
    Badge badge,
    String what,
    Map<String, String> selection,
    String sentence,
    double sent,
    double died,
    double way,
    List<Step> steps,
    String href) {
  static OperationView of(Operation operation, Links links, PayloadView view) {
    double total = Math.max(1, operation.total());
    boolean sends = operation.plan().action().sends();
    double gone = sends ? operation.sent() : operation.done();
    return new OperationView(
        operation,
        Badge.of(operation),
        what(operation.plan().action()),
        view.selection(operation.plan().selection()),
        sentence(operation),
        100 * gone / total,
        100 * operation.died() / total,
        100 * operation.underWay() / total,
        steps(operation, links),
        links.operation(operation.id()));
  }

  /** What an action does, in words. */
  static String what(Action action) {
    return switch (action) {
      case REQUEUE -> "Requeue dead letters";
      case REQUEUE_NEW_ID -> "Requeue dead letters under new ids";
      case SEND_ONCE -> "Send dead letters once";
      case DISCARD -> "Discard dead letters";
      case RESEND -> "Send messages again";
      case REWIND -> "Rewind a destination";
    };
  }

  private static String sentence(Operation operation) {
    String all = Words.number(operation.done() + operation.refused());
    StringBuilder text =
        new StringBuilder("%s of %s done".formatted(all, Words.number(operation.total())));
    if (operation.plan().action().sends()) {
      text.append(
          ": %s sent, %s died again, %s on the way"
              .formatted(
                  Words.number(operation.sent()),
                  Words.number(operation.died()),
                  Words.number(operation.underWay())));
    }
    if (operation.refused() > 0) {
      text.append(
          ", %s left alone because they had changed".formatted(Words.number(operation.refused())));
    }
    return text.append('.').toString();
  }

  private static List<Step> steps(Operation operation, Links links) {
    return switch (operation.state()) {
      case RUNNING ->
          List.of(Step.act("Stop", links.act("stop", "operation", operation.id())).danger());
      case STOPPED ->
          List.of(Step.act("Resume", links.act("go-on", "operation", operation.id())).primary());
      case DONE -> List.of();
    };
  }

  /** How careful it is. */
  public String care() {
    Plan plan = operation.plan();
    if (!plan.action().sends()) {
      return "all at once";
    }
    String canary = plan.canary() == 0 ? "no canary" : "canary of " + Words.number(plan.canary());
    Double perSecond = plan.ratePerSecond();
    String rate =
        perSecond == null
            ? "no rate limit"
            : "at most %s/s".formatted(Words.number(Math.round(perSecond)));
    return "%s, %s, stops at %d %% dead".formatted(canary, rate, Math.round(100 * plan.stopAt()));
  }

  /** Whether its figures still change. */
  public boolean moves() {
    return operation.state() == Operation.State.RUNNING || operation.underWay() > 0;
  }
}
