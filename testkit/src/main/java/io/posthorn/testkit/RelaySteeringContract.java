package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.TYPE;
import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.relay.SendLimit;
import io.posthorn.core.store.Store;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A running relay follows the steering of people: pauses, resumes and limits. */
public abstract class RelaySteeringContract extends RelayTopic {
  private static final Actor ANNA = new Actor("anna", "the receiver asked for it");
  private static final String OTHER = "Other";

  private final FakeConnector shop = FakeConnector.acking();

  private Steering steering() {
    return Steering.on(db().operator());
  }

  @Test
  void a_paused_type_stops_and_the_other_types_do_not() {
    start(to(SHOP, shop));
    steering().pause(Scope.type(OTHER, SHOP), ANNA);
    commit(typed(OTHER, "1"), message("2"), typed(OTHER, "3"), message("4"));
    eventually(shop, got -> assertThat(got).containsExactlyInAnyOrder("2", "4"));
    eventually(
        () ->
            assertThat(db().parked(SHOP))
                .extracting(TestDatabase.Parked::waiting)
                .containsExactly(Waiting.PAUSED, Waiting.PAUSED));
    steering().resume(Scope.type(OTHER, SHOP), ANNA);
    eventually(shop, got -> assertThat(got).containsExactlyInAnyOrder("1", "2", "3", "4"));
  }

  @Test
  void a_pause_also_stops_messages_that_the_relay_has_in_memory() {
    countsWhatOneLaneDoes();
    shop.reply(message -> FakeConnector.Reply.late(Outcome.SENT));
    start(
        to(SHOP, shop).limit(SendLimit.DEFAULT.maxInFlight(1)).sendTimeout(Duration.ofSeconds(5)));
    commit(message("1"), message("2"), keyed("k", "3"), typed(OTHER, "4"));
    eventually(shop, got -> assertThat(got).hasSize(1));
    steering().pause(Scope.type(TYPE), ANNA);
    eventually(
        () ->
            assertThat(db().parked(SHOP))
                .extracting(TestDatabase.Parked::content)
                .containsExactly("2", "3"));
    shop.answerLate();
    eventually(shop, got -> assertThat(got).containsExactly("1", "4"));
  }

  @Test
  void raising_a_rate_limit_lets_a_waiting_lane_continue_at_once() {
    start(to(SHOP, shop));
    steering().limit(SHOP, 0.01, ANNA);
    Message[] messages = new Message[40];
    for (int i = 0; i < messages.length; i++) {
      messages[i] = message("m" + i);
    }
    commit(messages);
    eventually(shop, got -> assertThat(got).isNotEmpty());
    assertThat(contents(shop)).hasSizeLessThan(messages.length);
    steering().limit(SHOP, null, ANNA);
    eventually(shop, got -> assertThat(got).hasSize(messages.length));
  }

  @Test
  void a_paused_destination_does_not_query_the_database_whatever_is_committed() {
    AtomicInteger claims = new AtomicInteger();
    Store counting =
        Around.calls(
            Store.class,
            db().anotherStore(),
            (name, call) -> {
              if (name.equals("claim")) {
                claims.incrementAndGet();
              }
              return call.proceed();
            });
    start(counting, relay -> relay, to(SHOP, shop));
    commit(message("before"));
    eventually(shop, got -> assertThat(got).containsExactly("before"));
    steering().pause(SHOP, ANNA);
    AtomicInteger last = new AtomicInteger();
    // Every ten seconds a lane is looked at without a reason.
    await()
        .during(Duration.ofSeconds(2))
        .atMost(Duration.ofSeconds(15))
        .until(
            () -> {
              commit(message("paused"));
              int now = claims.get();
              return last.getAndSet(now) == now;
            });
    steering().resume(SHOP, ANNA);
    eventually(shop, got -> assertThat(got).hasSizeGreaterThan(10).contains("paused"));
  }

  @Test
  void a_pause_outlives_the_relay() {
    start(to(SHOP, shop)).close();
    steering().pause(Scope.type(OTHER), ANNA);
    steering().pause(Scope.key(key("k"), SHOP), ANNA);
    commit(typed(OTHER, "1"), keyed("k", "2"), message("3"));
    FakeConnector next = FakeConnector.acking();
    start(to(SHOP, next));
    eventually(next, got -> assertThat(got).containsExactly("3"));
    steering().resume(Scope.key(key("k"), SHOP), ANNA);
    eventually(next, got -> assertThat(got).containsExactly("3", "2"));
    steering().resume(Scope.type(OTHER), ANNA);
    eventually(next, got -> assertThat(got).containsExactly("3", "2", "1"));
  }

  @Test
  void a_receiver_that_is_gone_for_good_pauses_its_destination_until_a_person_resumes_it() {
    Reason gone = Reason.of("GONE", "the receiver answered 410");
    shop.outcome(m -> Outcome.gone(gone));
    start(relay -> relay.name("north"), to(SHOP, shop).retry(QUICK.attempts(1)));
    Message first = keyed("a", "a1");
    commit(first, keyed("a", "a2"), keyed("b", "b1"));
    eventually(() -> assertThat(steering().pauses(10)).hasSize(1));
    Pause pause = steering().pauses(10).get(0);
    assertThat(pause.scope()).isEqualTo(Scope.destination(SHOP));
    assertThat(pause.who()).isEqualTo("relay north");
    assertThat(pause.why()).isEqualTo("GONE: the receiver answered 410");
    assertThat(Audit.on(db().operator()).after(0, 10))
        .extracting(AuditEntry::who, AuditEntry::action, AuditEntry::why)
        .containsExactly(tuple("relay north", "destination.pause", pause.why()));
    shop.outcome(m -> Outcome.SENT);
    commit(keyed("c", "c1"));
    steering().resume(SHOP, ANNA);
    eventually(shop, got -> assertThat(got).contains("a1", "a2", "b1", "c1"));
    assertThat(db().dead(SHOP)).isEmpty();
    assertThat(db().attempts(SHOP, first.id())).isEmpty();
  }

  @Test
  void every_key_keeps_its_order_whatever_is_paused_and_resumed_meanwhile() {
    start(to(SHOP, shop));
    List<Scope> scopes =
        List.of(
            Scope.EVERYTHING,
            Scope.type(OTHER),
            Scope.type(TYPE, SHOP),
            Scope.type(OTHER, SHOP),
            Scope.key(key("k1"), SHOP),
            Scope.key(key("k2"), SHOP));
    Random random = new Random(7);
    Map<String, List<String>> expected = new LinkedHashMap<>();
    for (int round = 0; round < 60; round++) {
      Message[] messages = new Message[20];
      for (int i = 0; i < messages.length; i++) {
        String id = "k" + random.nextInt(4);
        String content = id + ":" + round + "." + i;
        expected.computeIfAbsent(id, k -> new ArrayList<>()).add(content);
        messages[i] =
            Message.of(random.nextBoolean() ? TYPE : OTHER)
                .key(TestMessages.AGGREGATE, id)
                .json(content.getBytes(UTF_8))
                .build();
      }
      commit(messages);
      Scope scope = scopes.get(random.nextInt(scopes.size()));
      if (random.nextBoolean()) {
        steering().pause(scope, ANNA);
      } else {
        steering().resume(scope, ANNA);
      }
    }
    scopes.forEach(scope -> steering().resume(scope, ANNA));
    eventually(shop, got -> assertThat(got).hasSize(1_200));
    Map<String, List<String>> actual = new LinkedHashMap<>();
    for (String content : contents(shop)) {
      String id = content.substring(0, content.indexOf(':'));
      actual.computeIfAbsent(id, k -> new ArrayList<>()).add(content);
    }
    assertThat(actual).isEqualTo(expected);
  }
}
