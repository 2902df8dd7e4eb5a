package io.posthorn.api.message;

import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.request.Requests;
import io.posthorn.core.message.Message;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Adds messages, where the configuration allows it. */
@RestController
@RequestMapping("/api/v1/databases/{database}/messages")
public final class AddingController {
  private static final int MOST = 1_000;

  /**
   * Messages that were added.
   *
   * @param repeated the ids that had been added before, with the same content; they were not added
   *     again
   */
  public record Added(List<UUID> ids, List<UUID> repeated) {}

  /** Messages to add in one transaction, in this order. */
  public record Batch(@Nullable List<NewMessage> messages) {}

  /**
   * Adds a message.
   *
   * @param key the id of the message. If the answer is lost, repeat the request with the same one
   */
  @PostMapping
  @Needs(Right.ADD)
  public ResponseEntity<Added> add(
      OperatedDatabase database,
      @RequestHeader(name = "Idempotency-Key", required = false) @Nullable UUID key,
      @RequestBody NewMessage body) {
    if (key != null && body.id() != null && !key.equals(body.id())) {
      throw Requests.wrong(
          "nothing was added: 'id' and the header Idempotency-Key differ. Send one of them.");
    }
    UUID id =
        key != null ? key : Requests.required("id (or the header Idempotency-Key)", body.id());
    return answer(new Adding(database).add(List.of(body.message(id))));
  }

  /** Adds up to 1,000 messages, all or none. Each needs an id. */
  @PostMapping("/batch")
  @Needs(Right.ADD)
  public ResponseEntity<Added> addAll(OperatedDatabase database, @RequestBody Batch body) {
    List<NewMessage> all = Requests.required("messages", body.messages());
    if (all.isEmpty() || all.size() > MOST || all.contains(null)) {
      throw Requests.wrong(
          "nothing was added: the batch has %,d messages. Send 1 to %,d."
              .formatted(all.size(), MOST));
    }
    List<Message> messages =
        all.stream().map(one -> one.message(Requests.required("id", one.id()))).toList();
    return answer(new Adding(database).add(messages));
  }

  private static ResponseEntity<Added> answer(Added added) {
    boolean all = added.repeated().size() == added.ids().size();
    return ResponseEntity.status(all ? HttpStatus.OK : HttpStatus.CREATED).body(added);
  }
}
