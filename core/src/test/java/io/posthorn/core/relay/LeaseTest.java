package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A relay trusts its lease by its own clock, and never for longer than the database does. */
class LeaseTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Close to the largest value of the clock, so that the clock overflows during the lease. */
  private static final long ASKED = Long.MAX_VALUE - Duration.ofSeconds(15).toNanos();

  private static final long END = ASKED + LEASE.toNanos();
  private final Lease lease = new Lease(ASKED);

  @Test
  void a_new_lease_allows_nothing_before_it_is_renewed() {
    assertThat(lease.expired(ASKED)).isTrue();
    assertThat(lease.allows(ASKED, Duration.ZERO)).isFalse();
  }

  @Test
  void a_send_may_begin_only_if_it_would_be_out_of_time_before_the_lease_ends() {
    lease.renewed(ASKED, LEASE);
    assertThat(lease.allows(END - TIMEOUT.toNanos() - 1, TIMEOUT)).isTrue();
    assertThat(lease.allows(END - TIMEOUT.toNanos(), TIMEOUT)).isFalse();
    assertThat(lease.allows(END - TIMEOUT.toNanos() + 1, TIMEOUT)).isFalse();
  }

  @Test
  void a_lease_is_over_at_its_end_and_not_before() {
    lease.renewed(ASKED, LEASE);
    assertThat(lease.expired(END - 1)).isFalse();
    assertThat(lease.expired(END)).isTrue();
  }

  @Test
  void a_lease_that_is_renewed_counts_from_the_last_time_it_was_asked_for() {
    lease.renewed(ASKED, LEASE);
    lease.renewed(ASKED + 1, LEASE);
    assertThat(lease.expired(END)).isFalse();
    assertThat(lease.expired(END + 1)).isTrue();
  }
}
