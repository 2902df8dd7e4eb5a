package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class HoldingTest {
  @Test
  void nothing_is_committed_beyond_the_first_that_is_not_done() {
    HeldPartition holding = new HeldPartition();
    LongStream.of(7, 8, 12, 13).forEach(holding::handOut);
    assertThat(holding.toCommit()).isEmpty();
    holding.done(8);
    holding.done(12);
    assertThat(holding.toCommit()).isEmpty();
    holding.done(7);
    assertThat(holding.toCommit()).hasValue(13);
    holding.committed(13);
    assertThat(holding.toCommit()).isEmpty();
    holding.done(13);
    assertThat(holding.toCommit()).hasValue(14);
  }

  @Test
  void a_position_that_the_group_did_not_have_is_committed_at_once() {
    HeldPartition holding = HeldPartition.startingAt(5);
    assertThat(holding.toCommit()).hasValue(5);
    holding.handOut(9);
    assertThat(holding.toCommit()).hasValue(9);
    holding.committed(9);
    assertThat(holding.toCommit()).isEmpty();
  }
}
