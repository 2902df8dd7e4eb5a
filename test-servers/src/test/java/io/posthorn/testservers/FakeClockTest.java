package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A process with a fake clock has a wrong time of day, but everything else is right. */
class FakeClockTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void a_jvm_is_as_far_off_as_it_is_set_to_and_its_durations_stay_right() {
    try (FakeClock clock = FakeClock.shifted(Duration.ofHours(-1));
        JavaProcess jvm = JavaProcess.of(ClockReader.class).clock(clock).start()) {
      assertShift(jvm, "first", Duration.ofHours(-1));
      clock.shift(Duration.ofDays(2).plusMillis(500));
      assertShift(jvm, "second", Duration.ofDays(2).plusMillis(500));
      clock.shift(Duration.ZERO);
      assertShift(jvm, "third", Duration.ZERO);
    }
  }

  /** Expects the answer {@code word millis nanos waited}. */
  private static void assertShift(JavaProcess jvm, String word, Duration shift) {
    jvm.writeLine(word);
    String[] words = jvm.awaitLine(line -> line.startsWith(word), PATIENCE).split(" ");
    Duration ago = Duration.ofNanos(System.nanoTime() - Long.parseLong(words[2]));
    assertThat(ago).isBetween(Duration.ZERO, PATIENCE);
    assertThat(Instant.ofEpochMilli(Long.parseLong(words[1])))
        .isBetween(
            Instant.now().plus(shift).minus(PATIENCE), Instant.now().plus(shift).plusMillis(1));
    assertThat(Duration.ofMillis(Long.parseLong(words[3])))
        .isGreaterThanOrEqualTo(Duration.ofMillis(ClockReader.WAITS * ClockReader.MILLIS))
        .isLessThan(PATIENCE);
  }

  @Test
  void a_server_is_as_far_off_as_it_is_set_to() throws Exception {
    try (FakeClock clock = FakeClock.shifted(Duration.ofHours(1));
        EmbeddedPostgres postgres = EmbeddedPostgres.builder().clock(clock).start();
        Connection connection = postgres.dataSource().getConnection()) {
      assertThat(ahead(connection)).isBetween(3_590L, 3_610L);
      clock.shift(Duration.ofHours(-1));
      assertThat(ahead(connection)).isBetween(-3_610L, -3_590L);
    }
  }

  private static long ahead(Connection connection) throws Exception {
    String now = Sql.value(connection, "SELECT extract(epoch FROM clock_timestamp())::bigint");
    return Long.parseLong(now) - Instant.now().getEpochSecond();
  }
}
