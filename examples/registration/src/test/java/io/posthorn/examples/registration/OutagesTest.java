package io.posthorn.examples.registration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.examples.registration.RegistrationController.Delivery;
import io.posthorn.testservers.StreamMatcher;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The whole application with real servers: one is down, the other goes on. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@DirtiesContext // its relay is closed while the servers still run
class OutagesTest {
  private static final Outside OUTSIDE = Outside.start();

  @Autowired private Registration registration;
  @Autowired private RegistrationController controller;

  private String name;

  @DynamicPropertySource
  static void servers(DynamicPropertyRegistry registry) {
    OUTSIDE.properties().forEach((property, value) -> registry.add(property, () -> value));
  }

  @BeforeEach
  void all_is_well() {
    OUTSIDE.roadToMails().pass();
    OUTSIDE.roadToKafka().pass();
    name = "ada-" + UUID.randomUUID();
  }

  @Test
  void a_registration_sends_one_mail_and_one_event() {
    UUID ada = register();

    awaitSent(ada, "welcome-mail");
    awaitSent(ada, "bus");
    assertThat(mails()).hasSize(1);
    assertThat(toldOnTheBus()).isEqualTo(1);
  }

  @Test
  void while_the_mail_server_is_down_the_bus_goes_on_and_one_mail_comes_later() {
    OUTSIDE.roadToMails().refuse();
    UUID ada = register();
    awaitSent(ada, "bus");
    assertThat(toldOnTheBus()).isEqualTo(1);
    assertThat(mails()).isEmpty();

    OUTSIDE.roadToMails().pass();
    awaitSent(ada, "welcome-mail");
    assertThat(mails()).hasSize(1);
  }

  @Test
  void while_the_bus_is_down_mails_go_on_and_the_bus_hears_of_it_later() {
    OUTSIDE.roadToKafka().reset();
    UUID ada = register();
    awaitSent(ada, "welcome-mail");
    assertThat(mails()).hasSize(1);
    assertThat(toldOnTheBus()).isZero();

    OUTSIDE.roadToKafka().pass();
    awaitSent(ada, "bus");
    assertThat(toldOnTheBus()).isEqualTo(1);
  }

  /** SMTP knows no better: sent at least once, and recognisable. */
  @Test
  void a_mail_whose_answer_was_lost_is_sent_again_as_the_same_mail() {
    OUTSIDE.roadToMails().cutBeforeReply(StreamMatcher.token("\r\n.\r\n"));
    UUID ada = register();

    awaitSent(ada, "welcome-mail");
    assertThat(mails()).hasSize(2);
    assertThat(mails().stream().map(OutagesTest::messageId).distinct()).hasSize(1);
  }

  @Test
  void an_invalid_address_is_a_dead_letter_and_delays_no_other() {
    UUID nobody = registration.register("Nobody", name + " is no address");
    UUID ada = register();

    awaitSent(ada, "welcome-mail");
    awaitState(nobody, "welcome-mail", "DEAD");
    awaitSent(nobody, "bus");
  }

  private UUID register() {
    return registration.register(name, name + "@example.org");
  }

  private void awaitSent(UUID user, String destination) {
    awaitState(user, destination, "SENT");
  }

  private void awaitState(UUID user, String destination, String state) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(controller.deliveries(user)).contains(new Delivery(destination, state)));
  }

  private List<MimeMessage> mails() {
    return Stream.of(OUTSIDE.mailServer().getReceivedMessagesForDomain(name + "@example.org"))
        .toList();
  }

  private static String messageId(MimeMessage mail) {
    try {
      return mail.getMessageID();
    } catch (MessagingException e) {
      throw new IllegalStateException(e);
    }
  }

  private long toldOnTheBus() {
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", OUTSIDE.kafkaForReading()),
            new StringDeserializer(),
            new StringDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(Outside.TOPIC).stream()
              .map(found -> new TopicPartition(found.topic(), found.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      long told = 0;
      while (partitions.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        told +=
            StreamSupport.stream(consumer.poll(Duration.ofMillis(100)).spliterator(), false)
                .filter(event -> event.value().contains(name))
                .count();
      }
      return told;
    }
  }
}
