package io.posthorn.benchmarks;

import io.posthorn.core.message.Key;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.operate.story.Messages;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** Everything that a page or a command asks, by name. */
final class PagesQuestions {
  private static final int PAGE = 50;
  private static final Key HOT = Key.of("Order", "hot");

  private final Map<String, Consumer<OperatorStore>> questions = new LinkedHashMap<>();

  /**
   * @param messages how many were loaded
   * @param some a letter in the middle of the list
   */
  PagesQuestions(long messages, DeadLetter some) {
    Instant lately = Instant.now().minus(Duration.ofHours(6));
    put("status", OperatorStore::status);
    put("figures for metrics", store -> store.figures(RetentionTimes.DEFAULT));
    put("destinations list", store -> Steering.on(store).destinations());
    put("parked list", store -> Steering.on(store).parked("mail", null, PAGE));
    put("parked list, paused", store -> Steering.on(store).parked("search", null, PAGE));
    put("parked list, later page", store -> Steering.on(store).parked("search", id(150_001), PAGE));
    put("parked list, key", store -> Steering.on(store).parked("search", HOT, null, PAGE));
    put(
        "parked list, key, later",
        store -> Steering.on(store).parked("search", HOT, id(9_000), PAGE));
    dead("all", some, DeadLetterQuery.builder());
    dead("destination", some, DeadLetterQuery.builder().destination("shop"));
    dead("type", some, DeadLetterQuery.builder().type("Type7"));
    dead("reason", some, DeadLetterQuery.builder().reason("HTTP_422"));
    dead("key", some, DeadLetterQuery.builder().key("order-77"));
    dead("aggregate_type", some, DeadLetterQuery.builder().aggregateType("Order").key("order-77"));
    dead("time", some, DeadLetterQuery.builder().from(lately));
    dead("error", some, DeadLetterQuery.builder().error("INCIDENTS/77"));
    dead("error_unknown", some, DeadLetterQuery.builder().error("no such text"));
    dead("header_unique", some, DeadLetterQuery.builder().header("correlation-id", "corr-77"));
    dead("header", some, DeadLetterQuery.builder().header("tenant", "t7"));
    dead("cause", some, DeadLetterQuery.builder().fingerprint(PagesData.CAUSE));
    dead("message", some, DeadLetterQuery.builder().messageId(some.messageId()));
    dead("state", some, DeadLetterQuery.builder().states(Set.of(DeadLetter.State.DISCARDED)));
    put("dead show", store -> DeadLetters.on(store).find(some.id()));
    put("dead summary", store -> DeadLetters.on(store).figures(30));
    groups("all", DeadLetterQuery.builder());
    groups("destination", DeadLetterQuery.builder().destination("shop"));
    groups("error", DeadLetterQuery.builder().error("incidents/77"));
    put("messages find", store -> Messages.on(store).find(id(messages / 2)));
    put("messages find, dead", store -> Messages.on(store).find(some.messageId()));
    put("messages find, unknown", store -> Messages.on(store).find(UUID.randomUUID()));
    list("newest", MessageQuery.builder());
    list("oldest", MessageQuery.builder().oldestFirst());
    list("key", builder(Key.of("Order", "order-77")));
    list("hot_key", builder(Key.of("Order", "hot")));
    list("unknown_key", builder(Key.of("Order", "none")));
    list("key_and_time", builder(Key.of("Order", "hot")).to(lately));
    list("correlation", MessageQuery.builder().correlationId("corr-77"));
    list("type", MessageQuery.builder().type("Type7"));
    list("rare_type", MessageQuery.builder().type("RareThing"));
    list("time", MessageQuery.builder().from(lately).to(lately.plusSeconds(600)));
    put("audit list", store -> Audit.on(store).after(50_000, PAGE));
  }

  Map<String, Consumer<OperatorStore>> all() {
    return questions;
  }

  static UUID id(long n) {
    return UUID.fromString("00000000-0000-7000-8000-%012x".formatted(n));
  }

  private static MessageQuery.Builder builder(Key key) {
    return MessageQuery.builder().aggregateType(key.aggregateType()).key(key.id());
  }

  private void put(String name, Consumer<OperatorStore> question) {
    questions.put(name, question);
  }

  private void dead(String filter, DeadLetter some, DeadLetterQuery.Builder builder) {
    DeadLetterQuery query = builder.build();
    put("dead list, " + filter, store -> DeadLetters.on(store).list(query, null, PAGE));
    put("dead list, " + filter + ", later page", s -> DeadLetters.on(s).list(query, some, PAGE));
    put("dead count, " + filter, store -> DeadLetters.on(store).count(query));
  }

  private void groups(String filter, DeadLetterQuery.Builder builder) {
    DeadLetterQuery query = builder.build();
    put("dead groups, " + filter, store -> DeadLetters.on(store).causes(query, PAGE));
  }

  private void list(String filter, MessageQuery.Builder builder) {
    MessageQuery query = builder.build();
    put("messages list, " + filter, store -> Messages.on(store).list(query, null, PAGE));
  }

  /** A letter in the middle of all. */
  static DeadLetter some(OperatorStore store) {
    DeadLetters letters = DeadLetters.on(store);
    Instant middle = Instant.now().minus(Duration.ofDays(15));
    List<DeadLetter> found = letters.list(DeadLetterQuery.builder().from(middle).build(), null, 1);
    return found.get(0);
  }
}
