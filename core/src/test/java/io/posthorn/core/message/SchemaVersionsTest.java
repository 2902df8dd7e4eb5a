package io.posthorn.core.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps between versions, and the problems that a start reports about them. */
class SchemaVersionsTest {
  private static final String TYPE = "OrderPlaced";

  private static Upcast step(int from, int to) {
    return Upcast.of(TYPE, from, to, payload -> (text(payload) + ">" + to).getBytes(UTF_8));
  }

  private static String text(byte[] payload) {
    return new String(payload, UTF_8);
  }

  private static SchemaVersions versions(Upcast... steps) {
    return MessageTypes.named(TYPE).upcasting(steps).versions();
  }

  private static String upcast(SchemaVersions versions, int written, int wanted) {
    Message message =
        Message.of(TYPE)
            .schemaVersion(written)
            .json(String.valueOf(written).getBytes(UTF_8))
            .build();
    Message read = versions.upcast(message, wanted);
    assertThat(read.id()).isEqualTo(message.id());
    return read.schemaVersion() + ": " + text(read.payload());
  }

  private static List<String> problems(Upcast... steps) {
    return Upcast.problems(List.of(steps));
  }

  @Test
  void steps_are_chained_in_any_order_and_may_skip_versions() {
    SchemaVersions versions = versions(step(3, 4), step(1, 3), step(2, 3));
    assertThat(upcast(versions, 1, 4)).isEqualTo("4: 1>3>4");
    assertThat(upcast(versions, 2, 4)).isEqualTo("4: 2>3>4");
    assertThat(upcast(versions, 4, 4)).isEqualTo("4: 4");
    assertThat(upcast(versions, 1, SchemaVersions.ANY)).isEqualTo("4: 1>3>4");
    assertThat(upcast(versions, 7, SchemaVersions.ANY)).isEqualTo("7: 7");
    assertThat(versions.problemWith(TYPE, 1, 4)).isEmpty();
    assertThat(versions.problemWith("Other", 1, SchemaVersions.ANY)).isEmpty();
  }

  @Test
  void a_version_that_no_steps_lead_from_is_named() {
    SchemaVersions versions = versions(step(2, 3));
    assertThat(versions.problemWith(TYPE, 1, 3))
        .contains(
            "no upcasters lead from version 1 of 'OrderPlaced' to version 3, which this program reads");
    assertThat(versions.problemWith(TYPE, 4, 3))
        .contains("version 4 of 'OrderPlaced' is newer than version 3, which this program reads");
    assertThat(versions.problemWith(TYPE, 0, 3)).isPresent();
  }

  @Test
  void two_steps_from_one_version_are_refused() {
    assertThat(problems(step(1, 2), step(1, 3), step(2, 3)))
        .containsExactly(
            "upcast(\"OrderPlaced\", 1, 2) and upcast(\"OrderPlaced\", 1, 3) both start at version 1 of 'OrderPlaced': remove one of them");
  }

  @Test
  void a_step_that_goes_back_or_stays_is_refused_so_that_there_is_no_cycle() {
    assertThat(problems(step(1, 2), step(2, 1), step(3, 3)))
        .containsExactly(
            "upcast(\"OrderPlaced\", 2, 1) leads from version 2 of 'OrderPlaced' back to 1: a step must lead to a later version",
            "upcast(\"OrderPlaced\", 3, 3) leads from version 3 of 'OrderPlaced' to itself, 3: a step must lead to a later version");
  }

  @Test
  void a_gap_between_steps_is_refused_with_the_step_that_is_missing() {
    assertThat(problems(step(1, 2), step(3, 4)))
        .containsExactly(
            "upcast(\"OrderPlaced\", 1, 2) leads to version 2 of 'OrderPlaced', where no step starts, but other steps lead to version 4: add upcast(\"OrderPlaced\", 2, 3, …)");
  }

  @Test
  void versions_count_from_1_and_types_have_valid_names() {
    assertThat(problems(step(0, 2)))
        .containsExactly(
            "upcast(\"OrderPlaced\", 0, 2) starts at version 0 of 'OrderPlaced': versions count from 1");
    assertThat(problems(Upcast.of("no type", 1, 2, Upcaster.UNCHANGED))).hasSize(1);
  }

  @Test
  void all_problems_of_steps_are_in_one_error() {
    assertThatThrownBy(() -> versions(step(2, 1), step(5, 5)))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("2 problems")
        .hasMessageContaining("back to 1")
        .hasMessageContaining("to itself");
  }

  @Test
  void more_steps_are_checked_together_with_those_before() {
    MessageTypes types = MessageTypes.named(TYPE).upcasting(step(1, 2));
    assertThat(upcast(types.upcasting(step(2, 3)).versions(), 1, 3)).isEqualTo("3: 1>2>3");
    assertThatThrownBy(() -> types.upcasting(step(1, 2)))
        .hasMessageContaining("both start at version 1");
  }

  @Test
  void types_with_steps_still_learn_events_and_share_them() {
    record Placed(String id) {}
    MessageTypes plain = MessageTypes.learning();
    MessageTypes upcasting = plain.upcasting(Upcast.of("Placed", 1, 2, Upcaster.UNCHANGED));
    assertThat(upcasting.of(Placed.class)).isPresent();
    assertThat(plain.contains("Placed")).isTrue();
  }

  @Test
  void an_upcaster_that_fails_is_named_without_the_payload() {
    Upcast failing =
        new Upcast(
            TYPE,
            1,
            2,
            payload -> {
              throw new IllegalStateException(text(payload));
            },
            "Orders.currency of bean 'orders'");
    assertThatThrownBy(() -> upcast(versions(failing), 1, 2))
        .isInstanceOf(UpcastException.class)
        .hasMessage(
            "Orders.currency of bean 'orders' could not convert the payload of 'OrderPlaced' from version 1 to 2: IllegalStateException")
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void an_upcaster_of_objects_reads_and_writes_with_the_mapper() {
    PayloadReader reader = (payload, type) -> Integer.valueOf(text(payload));
    PayloadWriter writer = object -> object.toString().getBytes(UTF_8);
    Upcaster doubling =
        Upcaster.reading(Integer.class, reader, writer, number -> "twice " + 2 * number);
    assertThat(upcast(versions(Upcast.of(TYPE, 1, 2, doubling)), 1, 2)).isEqualTo("2: twice 2");
    Upcaster wrong = Upcaster.reading(String.class, reader, writer, text -> text);
    assertThatThrownBy(() -> upcast(versions(Upcast.of(TYPE, 1, 2, wrong)), 1, 2))
        .isInstanceOf(UnreadablePayloadException.class)
        .hasMessage(
            "upcast(\"OrderPlaced\", 1, 2): it could not be read as String: it is a class java.lang.Integer");
  }
}
