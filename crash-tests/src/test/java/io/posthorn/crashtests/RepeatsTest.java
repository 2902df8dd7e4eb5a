package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whose fault it is that messages come again. */
class RepeatsTest {
  private static final int BATCH = 3;
  private static final long A = 1;
  private static final long B = 2;

  private final List<Journal.Line> lines = new ArrayList<>();

  private RepeatsTest event(long pid, String event) {
    return line(pid, false, event, "", "");
  }

  private RepeatsTest fails(long pid, String messageId, String reason) {
    return line(pid, false, "CallFailed", messageId, reason);
  }

  private RepeatsTest outOfTime(long pid, String messageId) {
    return fails(pid, messageId, Reason.TIMEOUT);
  }

  private RepeatsTest answers(long pid, String messageId, String outcome) {
    return line(pid, true, messageId, outcome, "");
  }

  private RepeatsTest delivers(long pid, int from, int to) {
    for (int i = from; i <= to; i++) {
      answers(pid, "message " + i, "Sent");
    }
    return this;
  }

  private RepeatsTest line(long pid, boolean delivery, String what, String detail, String content) {
    long now = lines.size();
    lines.add(new Journal.Line(pid, now, now, World.ORDERS, delivery, what, detail, content));
    return this;
  }

  private List<String> wrongs(Long... serverCrashes) {
    return new Repeats(lines, World.ORDERS, List.of(serverCrashes)).wrongs(BATCH);
  }

  @Test
  void one_crash_may_repeat_a_batch() {
    event(A, "LaneTaken").delivers(A, 1, 9).event(B, "LaneTaken").delivers(B, 9 - BATCH + 1, 12);
    assertThat(wrongs()).isEmpty();
    delivers(B, 1, 1);
    assertThat(wrongs()).singleElement().asString().startsWith("4 repeats");
  }

  @Test
  void each_crash_has_its_own_bound() {
    event(A, "LaneTaken").delivers(A, 1, 3).event(B, "LaneTaken").delivers(B, 1, 3);
    event(A, "LaneTaken").delivers(A, 1, 3);
    assertThat(wrongs()).isEmpty();
  }

  @Test
  void a_late_delivery_by_an_earlier_holder_is_its_own_fault() {
    event(A, "LaneTaken").event(B, "LaneTaken").delivers(B, 1, 1).delivers(A, 1, 1);
    event(B, "LaneReleased");
    assertThat(wrongs()).isEmpty();
  }

  @Test
  void a_relay_that_released_the_lane_leaves_nothing_to_repeat() {
    event(A, "LaneTaken").delivers(A, 1, 1).event(A, "LaneReleased");
    event(B, "LaneTaken").delivers(B, 1, 1);
    assertThat(wrongs()).singleElement().asString().contains("at most 0");
  }

  @Test
  void an_answer_that_came_too_late_is_nobodys_fault() {
    event(A, "LaneTaken").delivers(A, 1, 1).outOfTime(A, "message 1").delivers(A, 1, 1);
    event(A, "LaneReleased");
    assertThat(wrongs()).isEmpty();
  }

  @Test
  void a_delivery_after_the_message_was_given_up_is_nobodys_fault() {
    event(A, "LaneTaken").outOfTime(A, "message 1").delivers(A, 1, 1).delivers(A, 1, 1);
    event(A, "LaneReleased");
    assertThat(wrongs()).isEmpty();
    delivers(A, 1, 1);
    assertThat(wrongs()).singleElement().asString().startsWith("1 repeats");
  }

  @Test
  void a_delivery_after_the_next_holder_gave_the_message_up_is_nobodys_fault() {
    event(A, "LaneTaken").delivers(A, 1, 1).event(B, "LaneTaken");
    outOfTime(B, "message 1").delivers(B, 1, 1).event(B, "LaneReleased");
    event(A, "LaneTaken").delivers(A, 1, 1).event(A, "LaneReleased");
    assertThat(wrongs()).isEmpty();
  }

  @Test
  void a_refusal_for_good_that_came_too_late_is_nobodys_fault_either() {
    event(A, "LaneTaken").answers(A, "message 1", "Rejected").outOfTime(A, "message 1");
    event(A, "LaneReleased").event(B, "LaneTaken").delivers(B, 1, 1);
    assertThat(wrongs()).isEmpty();
  }

  @Test
  void a_refusal_that_was_answered_excuses_nothing() {
    event(A, "LaneTaken").answers(A, "message 1", "Failed").fails(A, "message 1", "FLAKY");
    delivers(A, 1, 1).delivers(A, 1, 1).event(A, "LaneReleased");
    assertThat(wrongs()).singleElement().asString().startsWith("1 repeats");
  }

  @Test
  void a_refusal_for_good_that_was_answered_excuses_nothing() {
    event(A, "LaneTaken").answers(A, "message 1", "Rejected").fails(A, "message 1", "DOOMED");
    event(A, "LaneReleased").event(B, "LaneTaken").delivers(B, 1, 1);
    assertThat(wrongs()).singleElement().asString().startsWith("1 repeats");
  }

  @Test
  void a_crash_of_the_server_may_repeat_as_much_as_one_of_a_relay() {
    event(A, "LaneTaken").delivers(A, 1, 4);
    long crash = lines.size();
    event(A, "anything").delivers(A, 1, BATCH).event(A, "LaneReleased");
    assertThat(wrongs(crash)).isEmpty();
    assertThat(wrongs()).isNotEmpty();
    delivers(A, 4, 4);
    assertThat(wrongs(crash)).singleElement().asString().startsWith("4 repeats");
  }
}
