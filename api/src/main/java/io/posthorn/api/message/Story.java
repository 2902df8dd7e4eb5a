package io.posthorn.api.message;

import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.ShownMessage;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import io.posthorn.core.store.MessageStory.Neighbour;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message and everything that happened to it.
 *
 * @param message null if only receipts of it are left
 * @param seq its place in the log
 * @param requeuedFrom the id that it had before it was requeued under this one
 * @param before the previous message of its key
 * @param after the next message of its key
 * @param deliveries its state with each destination
 * @param receipts which consumers have received it
 */
public record Story(
    @Nullable ShownMessage message,
    @Nullable Long seq,
    @Nullable Instant recordedAt,
    @Nullable UUID requeuedFrom,
    @Nullable Neighbour before,
    @Nullable Neighbour after,
    List<DeliveryStory> deliveries,
    List<Receipt> receipts) {
  static Story of(MessageStory story, List<Receipt> receipts, PayloadView view) {
    return new Story(
        view.message(story.message(), story.cipherKey()),
        story.seq(),
        story.recordedAt(),
        story.requeuedFrom(),
        story.before(),
        story.after(),
        story.deliveries().stream().map(one -> shown(one, story, view)).toList(),
        receipts);
  }

  static Story ofReceipts(List<Receipt> receipts) {
    return new Story(null, null, null, null, null, null, List.of(), receipts);
  }

  private static DeliveryStory shown(DeliveryStory one, MessageStory story, PayloadView view) {
    return new DeliveryStory(
        one.destination(),
        one.state(),
        one.attempts(),
        one.nextAttemptAt(),
        one.lockedUntil(),
        one.waiting(),
        view.error(one.lastError(), story.message(), story.cipherKey()),
        one.sentAt(),
        one.deadReason(),
        one.requeuedAs(),
        view.attempts(one.history(), story.message(), story.cipherKey()));
  }
}
