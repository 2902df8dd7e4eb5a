package io.posthorn.spring;

import static io.posthorn.spring.Messages.noted;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application's relay, from its start to its end. */
class RelayLifecycleTest {
  private static final List<String> HANDLED = new CopyOnWriteArrayList<>();
  private static volatile CountDownLatch began = new CountDownLatch(1);
  private static volatile CountDownLatch mayEnd = new CountDownLatch(0);

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    InProcess handlers() {
      return InProcess.handlers().on("Noted", RelayLifecycleTest::handle).build();
    }

    @Bean
    Destination mail(InProcess handlers) {
      return Destination.named("mail", handlers).types("Noted").build();
    }
  }

  static void handle(Message message) throws InterruptedException {
    began.countDown();
    mayEnd.await();
    HANDLED.add(new String(message.payload(), UTF_8));
  }

  @BeforeEach
  void empty() {
    HANDLED.clear();
    began = new CountDownLatch(1);
    mayEnd = new CountDownLatch(0);
  }

  @Test
  void what_is_committed_is_delivered_by_the_application_itself() {
    try (App app = App.start(Shop.class)) {
      app.inTransaction(tx -> app.outbox().add(noted("one")));

      await().untilAsserted(() -> assertThat(HANDLED).containsExactly("one"));
    }
  }

  @Test
  void an_application_that_ends_finishes_what_is_on_its_way_so_that_nothing_comes_twice()
      throws Exception {
    String url = App.freshDatabase();
    mayEnd = new CountDownLatch(1);
    App ending = App.start(url, Shop.class);
    ending.inTransaction(tx -> ending.outbox().add(noted("one")));
    began.await();
    Thread closing = new Thread(ending::close);
    closing.start();
    await().until(() -> stopsTheRelay(closing));
    assertThat(HANDLED).isEmpty();
    mayEnd.countDown();
    closing.join();

    assertThat(HANDLED).containsExactly("one");
    try (App next = App.start(url, Shop.class)) {
      next.inTransaction(tx -> next.outbox().add(noted("two")));
      await().untilAsserted(() -> assertThat(HANDLED).contains("two"));
      assertThat(HANDLED).containsExactly("one", "two");
    }
  }

  /** Returns whether the thread waits inside the relay, which it then cannot have left already. */
  private static boolean stopsTheRelay(Thread closing) {
    return closing.getState() == Thread.State.WAITING
        && Arrays.stream(closing.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(Relay.class.getName()));
  }

  @Test
  void an_application_that_stops_and_starts_again_delivers_again() {
    try (App app = App.start(Shop.class)) {
      app.context().stop();
      assertThat(app.bean(OperatorStore.class).status().relays()).isEmpty();
      app.inTransaction(tx -> app.outbox().add(noted("one")));
      app.context().start();

      await().untilAsserted(() -> assertThat(HANDLED).containsExactly("one"));
    }
  }

  @Test
  void an_application_can_leave_the_delivery_to_another_program() {
    try (App app = App.start(Shop.class, "posthorn.relay.enabled=false")) {
      assertThat(app.bean(OperatorStore.class).status().relays()).isEmpty();
    }
  }
}
