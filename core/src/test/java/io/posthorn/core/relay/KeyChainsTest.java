package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Key;
import org.junit.jupiter.api.Test;

/** A key stays blocked in memory until every page knows that a message of it is parked. */
class KeyChainsTest {
  private static final Key KEY = new Key("Order", "1");

  private final KeyChains chains = new KeyChains();

  private void parkedAndStored() {
    chains.parked(KEY);
    chains.stored(KEY);
  }

  @Test
  void it_is_blocked_until_it_is_stored_as_parked() {
    chains.parked(KEY);
    assertThat(chains.isBlocked(KEY)).isTrue();
    chains.stored(KEY);
    assertThat(chains.isBlocked(KEY)).isFalse();
  }

  @Test
  void it_is_blocked_until_all_of_it_are_stored() {
    chains.parked(KEY);
    chains.parked(KEY);
    chains.stored(KEY);
    assertThat(chains.isBlocked(KEY)).isTrue();
    chains.stored(KEY);
    assertThat(chains.isBlocked(KEY)).isFalse();
  }

  @Test
  void it_is_blocked_until_every_page_is_taken_in_that_may_not_know_of_it() {
    long first = chains.readBegins();
    long second = chains.readBegins();
    parkedAndStored();
    long third = chains.readBegins();
    chains.readTaken(first);
    assertThat(chains.isBlocked(KEY)).isTrue();
    chains.readTaken(second);
    assertThat(chains.isBlocked(KEY)).isFalse();
    chains.readTaken(third);
    parkedAndStored();
    assertThat(chains.isBlocked(KEY)).isFalse();
  }

  @Test
  void what_is_parked_and_stored_again_meanwhile_counts_from_then_on() {
    long first = chains.readBegins();
    parkedAndStored();
    long second = chains.readBegins();
    chains.parked(KEY);
    chains.readTaken(first);
    assertThat(chains.isBlocked(KEY)).isTrue();
    chains.stored(KEY);
    assertThat(chains.isBlocked(KEY)).isTrue();
    chains.readTaken(second);
    assertThat(chains.isBlocked(KEY)).isFalse();
  }

  @Test
  void pages_that_will_not_be_taken_in_block_nothing() {
    chains.readBegins();
    parkedAndStored();
    chains.allReadsTaken();
    assertThat(chains.isBlocked(KEY)).isFalse();
  }
}
