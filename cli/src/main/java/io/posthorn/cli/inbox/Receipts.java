package io.posthorn.cli.inbox;

import io.posthorn.cli.database.Answer;
import io.posthorn.core.inbox.Receipt;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Receipts as table rows and as JSON. */
public final class Receipts {
  private Receipts() {}

  static void print(Answer answer, List<Receipt> receipts) {
    answer.value(Map.of("receipts", json(receipts)));
    if (receipts.isEmpty()) {
      answer.say("no receipts");
    } else {
      table(answer, receipts);
    }
  }

  public static List<Map<String, Object>> json(List<Receipt> receipts) {
    return receipts.stream().map(Receipts::json).toList();
  }

  public static void table(Answer answer, List<Receipt> receipts) {
    answer.table(
        List.of("message", "consumer", "sender", "state", "received", "handled"),
        receipts.stream().map(Receipts::row).toList());
  }

  private static List<String> row(Receipt receipt) {
    return List.of(
        receipt.id().toString(),
        receipt.consumer(),
        receipt.sender(),
        receipt.state().name(),
        Answer.time(receipt.receivedAt()),
        time(receipt.handledAt()));
  }

  private static String time(@Nullable Instant time) {
    return time == null ? "" : Answer.time(time);
  }

  private static Map<String, Object> json(Receipt receipt) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", receipt.id().toString());
    map.put("consumer", receipt.consumer());
    map.put("sender", receipt.sender());
    map.put("state", receipt.state().name());
    map.put("received_at", receipt.receivedAt().toString());
    Instant handledAt = receipt.handledAt();
    if (handledAt != null) {
      map.put("handled_at", handledAt.toString());
    }
    map.put("payload_sha256", receipt.digest());
    String corrected = receipt.corrected();
    if (corrected != null) {
      map.put("handled_payload_sha256", corrected);
    }
    return map;
  }
}
