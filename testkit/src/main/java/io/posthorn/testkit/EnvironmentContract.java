package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import org.junit.jupiter.api.Test;

/** A relay serves only the database it is configured for. */
public abstract class EnvironmentContract extends Contract {
  @Test
  void the_first_relay_names_the_environment_and_other_relays_of_that_name_may_start() {
    store().verify("production");
    db().anotherStore().verify("production");
  }

  @Test
  void a_relay_of_another_environment_is_refused() {
    store().verify("production");
    assertRefused(ErrorCode.ENVIRONMENT_DIFFERS, () -> store().verify("staging"));
    assertThatThrownBy(() -> store().verify("staging"))
        .hasMessageContaining("production")
        .hasMessageContaining("staging");
    store().verify("production");
  }

  @Test
  void the_way_out_that_a_copied_database_suggests_sends_nothing() {
    store().verify("production");
    assertThatThrownBy(() -> store().verify("staging"))
        .hasMessageContaining("'posthorn adopt --environment staging --as-sent --why TEXT'")
        .hasMessageNotContaining("--send-undelivered");
  }
}
