package io.posthorn.spring.actuator;

import io.posthorn.core.message.Key;
import io.posthorn.core.operate.deadletter.Cause;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.store.MessageStory;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.lang.Nullable;

/**
 * {@code /actuator/posthorndead}: dead letters page by page, one of them, and their groups by
 * cause.
 */
@WebEndpoint(id = "posthorndead")
public final class DeadLettersEndpoint {
  private static final String GROUPS = "groups";

  private final DeadLetters letters;
  private final boolean showPayloads;

  public DeadLettersEndpoint(DeadLetters letters, boolean showPayloads) {
    this.letters = letters;
    this.showPayloads = showPayloads;
  }

  /**
   * A page of letters, oldest first.
   *
   * @param next the {@code after} of the next page; null on the last page
   */
  public record Page(List<DeadLetter> letters, @Nullable UUID next) {}

  /** The groups of letters with the same cause, those with most letters first. */
  public record Groups(List<Cause> groups) {}

  /**
   * One letter.
   *
   * @param stack only if payloads are shown, because the texts of exceptions may quote them
   */
  record Letter(
      DeadLetter letter,
      Content content,
      Instant recordedAt,
      @Nullable String stack,
      List<MessageStory.Attempt> history,
      @Nullable UUID previous,
      boolean corrected,
      long youngerOut) {}

  /** Lists letters; without {@code state}, those that wait for a person. */
  @ReadOperation
  public WebEndpointResponse<Object> list(
      @Nullable String destination,
      @Nullable String type,
      @Nullable String reason,
      @Nullable String key,
      @Nullable String error,
      @Nullable String cause,
      @Nullable String state,
      @Nullable String from,
      @Nullable String to,
      @Nullable String after,
      @Nullable String limit) {
    return Answers.of(
        () -> {
          DeadLetterQuery.Builder query =
              query(destination, type, reason, key).error(error).fingerprint(cause);
          query.from(Answers.time("from", from)).to(Answers.time("to", to));
          if (state != null) {
            query.states(Set.of(Answers.oneOf(DeadLetter.State.class, "state", state)));
          }
          return page(query.build(), after, Answers.limit(limit));
        });
  }

  private Page page(DeadLetterQuery query, @Nullable String after, int limit) {
    List<DeadLetter> found = letters.list(query, letterAt(after), limit);
    return new Page(found, found.size() < limit ? null : found.get(limit - 1).id());
  }

  private @Nullable DeadLetter letterAt(@Nullable String after) {
    if (after == null) {
      return null;
    }
    return letters
        .find(Answers.id("after", after))
        .map(DeadLetterDetail::letter)
        .orElseThrow(
            () -> Answers.wrong("after is '%s', which is not a dead letter".formatted(after)));
  }

  /** Returns one letter by its id, or the groups of letters by cause. */
  @ReadOperation
  public WebEndpointResponse<Object> one(
      @Selector String letter,
      @Nullable String destination,
      @Nullable String type,
      @Nullable String reason,
      @Nullable String key,
      @Nullable String limit) {
    if (letter.equals(GROUPS)) {
      return Answers.of(
          () ->
              new Groups(
                  letters.causes(
                      query(destination, type, reason, key).build(), Answers.limit(limit))));
    }
    return Answers.ofOne(
        () -> letters.find(Answers.id("the id", letter)).map(this::letter),
        "there is no dead letter " + letter);
  }

  private Letter letter(DeadLetterDetail detail) {
    return new Letter(
        detail.letter(),
        Content.of(detail.message(), detail.cipherKey(), showPayloads),
        detail.recordedAt(),
        showPayloads ? detail.stack() : null,
        detail.history(),
        detail.previous(),
        detail.corrected() != null,
        detail.youngerOut());
  }

  private static DeadLetterQuery.Builder query(
      @Nullable String destination,
      @Nullable String type,
      @Nullable String reason,
      @Nullable String key) {
    DeadLetterQuery.Builder query =
        DeadLetterQuery.builder().destination(destination).type(type).reason(reason);
    if (key != null) {
      Key parsed = Answers.key(key);
      query.aggregateType(parsed.aggregateType()).key(parsed.id());
    }
    return query;
  }
}
