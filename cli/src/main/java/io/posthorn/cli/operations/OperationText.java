package io.posthorn.cli.operations;

import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operation.State;
import io.posthorn.core.operate.operation.Preview;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Operations as sentences, progress bars and JSON. */
final class OperationText {
  private static final int BAR = 30;

  private OperationText() {}

  /** Returns the progress as one line with a bar. */
  static String progress(Operation operation) {
    long passed = operation.done() + operation.refused();
    double share = operation.total() == 0 ? 1 : Math.min(1.0, (double) passed / operation.total());
    int filled = (int) (share * BAR);
    String state =
        operation.waitsForCanary()
            ? ", waiting for the canary"
            : operation.state() == State.RUNNING ? "" : ", " + operation.state();
    return "[%s%s] %,d of %,d%s%s"
        .formatted(
            "#".repeat(filled),
            ".".repeat(BAR - filled),
            passed,
            operation.total(),
            came(operation),
            state);
  }

  private static String came(Operation operation) {
    if (!operation.plan().action().sends()) {
      return "";
    }
    String retrying =
        operation.retrying() == 0 ? "" : ", %,d of these retrying".formatted(operation.retrying());
    return ", %,d sent, %,d died again, %,d in flight%s"
        .formatted(operation.sent(), operation.died(), operation.underWay(), retrying);
  }

  static String sentence(Operation operation) {
    String refused =
        operation.refused() == 0
            ? ""
            : ", %,d skipped because they had changed meanwhile".formatted(operation.refused());
    String does =
        switch (operation.plan().action()) {
          case REQUEUE, REQUEUE_NEW_ID -> "requeued";
          case SEND_ONCE -> "queued for one attempt";
          case DISCARD -> "discarded";
          case RESEND, REWIND -> "queued again";
        };
    String rest =
        operation.state() == State.RUNNING
            ? "; it is still running, 'posthorn operations show %s' shows its progress"
                .formatted(operation.id())
            : "";
    return "%,d of %,d %s%s%s%s"
        .formatted(operation.done(), operation.total(), does, came(operation), refused, rest);
  }

  static String overtaken(Preview preview) {
    return preview.overtaken() == 0
        ? ""
        : " Younger messages of their key already went out for %2$,d of the first %1$,d; receivers get these out of order."
            .formatted(preview.looked(), preview.overtaken());
  }

  static Map<String, Object> nothing() {
    return Map.of("total", 0, "done", 0, "refused", 0);
  }

  static Map<String, Object> json(Operation operation) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", operation.id().toString());
    map.put("action", operation.plan().action().name());
    map.put("selection", new TreeMap<>(operation.plan().selection()));
    map.put("state", operation.state().name());
    map.put("who", operation.by().who());
    map.put("why", operation.by().why());
    map.put("created_at", operation.createdAt().toString());
    if (operation.endedAt() != null) {
      map.put("ended_at", operation.endedAt().toString());
    }
    map.put("total", operation.total());
    map.put("done", operation.done());
    map.put("refused", operation.refused());
    map.put("sent", operation.sent());
    map.put("died", operation.died());
    map.put("under_way", operation.underWay());
    map.put("retrying", operation.retrying());
    if (operation.note() != null) {
      map.put("note", operation.note());
    }
    return map;
  }
}
