package io.posthorn.spring;

import static io.posthorn.spring.Messages.noted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import io.posthorn.testkit.MemorySource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Handlers of the log, of a source and of an in-process destination run in the same threads. */
class HandlerThreadsTest {
  private static final String VIRTUAL = "spring.threads.virtual.enabled=true";

  /** The threads by the consumer that ran in them. */
  private static final Map<String, Thread> RAN = new ConcurrentHashMap<>();

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    MemorySource elsewhere() {
      return new MemorySource(1, 1);
    }

    @Bean
    Handlers handlers() {
      return new Handlers();
    }

    @Bean
    Destination mail(@Qualifier("posthornHandlerThreads") ThreadFactory threads) {
      InProcess handlers =
          InProcess.handlers()
              .on("Noted", message -> RAN.put("destination", Thread.currentThread()))
              .threads(threads)
              .build();
      return Destination.named("mail", handlers).types("Noted").build();
    }
  }

  static class Handlers {
    @MessageHandler(consumer = "of-log", type = "Noted")
    void ofLog(Message message) {
      RAN.put("log", Thread.currentThread());
    }

    @MessageHandler(consumer = "of-source", type = "Noted", source = "elsewhere")
    void ofSource(Message message) {
      RAN.put("source", Thread.currentThread());
    }
  }

  @Configuration
  static class OwnThreads extends Shop {
    @Bean
    ThreadFactory posthornHandlerThreads() {
      return OwnThread::new;
    }
  }

  static class OwnThread extends Thread {
    OwnThread(Runnable task) {
      super(task);
    }
  }

  @BeforeEach
  void empty() {
    RAN.clear();
  }

  @Test
  void handlers_run_in_the_threads_that_the_application_makes() {
    run(OwnThreads.class);

    assertThat(RAN.values()).allMatch(thread -> thread instanceof OwnThread);
  }

  @Test
  void handlers_run_in_platform_threads_by_default() {
    run(Shop.class);

    assertThat(RAN.values()).allMatch(thread -> thread.getClass() == Thread.class);
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  void before_java_21_virtual_threads_are_not_asked_for() {
    run(Shop.class, VIRTUAL);

    assertThat(RAN.values()).allMatch(thread -> thread.getClass() == Thread.class);
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void handlers_run_in_virtual_threads_if_the_application_wants_them() {
    run(Shop.class, VIRTUAL);

    assertThat(RAN.values()).allMatch(thread -> isVirtual(thread));
    assertThat(RAN.get("log").getName()).isEqualTo("posthorn-of-log-handler-1");
  }

  @Test
  void destinations_can_have_them_where_nothing_is_delivered_too() {
    try (App app = App.start(Shop.class, "posthorn.relay.enabled=false")) {
      assertThat(app.bean("posthornHandlerThreads", ThreadFactory.class)).isNotNull();
    }
  }

  private static void run(Class<?> configuration, String... properties) {
    try (App app = App.start(configuration, properties)) {
      app.inTransaction(tx -> app.outbox().add(noted("{}")));
      app.bean(MemorySource.class).publish(noted("{}"));
      await().untilAsserted(() -> assertThat(RAN).containsOnlyKeys("log", "source", "destination"));
    }
  }

  /** Uses reflection: the tests are compiled for Java 17, which lacks the method. */
  private static boolean isVirtual(Thread thread) {
    try {
      return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
