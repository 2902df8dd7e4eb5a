package io.posthorn.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.Upcast;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages of earlier and later versions, in tests of an application. */
class VersionsTest {
  record Greeted(String name) {}

  private static final MessageTypes TYPES =
      MessageTypes.of(MessageType.of(Greeted.class).schemaVersion(2))
          .upcasting(
              Upcast.of(
                  "Greeted",
                  1,
                  2,
                  payload -> ("dear " + new String(payload, UTF_8)).getBytes(UTF_8)));

  private static final Queue<String> GREETED = new ConcurrentLinkedQueue<>();

  @RegisterExtension
  static final PosthornTest posthorn =
      PosthornTest.embedded()
          .types(TYPES)
          .payloads(
              event -> ((Greeted) event).name().getBytes(UTF_8),
              (payload, type) -> new Greeted(new String(payload, UTF_8)))
          .handles(
              "guests",
              guests ->
                  guests
                      .on(Greeted.class, (greeted, handling) -> GREETED.add(greeted.name()))
                      .fromBroker());

  @BeforeEach
  void forget() {
    GREETED.clear();
  }

  private static Message written(int version) {
    return Message.of("Greeted").schemaVersion(version).json("ada".getBytes(UTF_8)).build();
  }

  @Test
  void a_message_of_an_earlier_version_is_handled_and_asserted_as_the_handler_gets_it() {
    posthorn.consumer("guests").gets(written(1));
    posthorn.deliverAll().withoutProblems();
    assertThat(GREETED).containsExactly("dear ada");
    assertThat(posthorn.consumer("guests").handled())
        .holdsOne(Greeted.class)
        .withPayload(greeted -> assertThat(greeted.name()).isEqualTo("dear ada"));
  }

  @Test
  void a_message_of_a_newer_version_is_a_problem_and_is_not_handled() {
    posthorn.consumer("guests").gets(written(3));
    assertThat(posthorn.deliverAll().problems())
        .anyMatch(
            problem ->
                problem.contains("waits for code: version 3 of 'Greeted' is newer than version 2"));
    assertThat(GREETED).isEmpty();
  }
}
