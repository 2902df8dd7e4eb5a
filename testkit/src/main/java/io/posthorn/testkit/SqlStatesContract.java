package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.SqlStates;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a store promises of its {@link SqlStates}: no message is blamed for an outage of its
 * database, in any program that has the store on its class path.
 */
public abstract class SqlStatesContract {
  protected abstract SqlStates states();

  /** The class of the store, whose initialisation adds the states. */
  protected abstract Class<?> store();

  /** SQLSTATEs of statements that took too long. */
  protected abstract List<String> timeouts();

  /** SQLSTATEs of a server that is away or lacks resources. */
  protected abstract List<String> away();

  private static SQLException error(String state) {
    return new SQLException("of the database", state);
  }

  @Test
  void no_message_is_blamed_for_an_outage_of_the_database() {
    for (String state : timeouts()) {
      assertOutcome(state, Reason.TIMEOUT, false);
    }
    for (String state : away()) {
      assertOutcome(state, Reason.TRANSIENT_NETWORK, false);
    }
  }

  @Test
  void a_message_is_blamed_for_data_that_the_database_refuses() {
    assertOutcome("23505", "SQLException", true);
    assertOutcome("42P01", "SQLException", true);
  }

  private static void assertOutcome(String state, String code, boolean byMessage) {
    assertThat(Classifier.DEFAULT.classify(error(state)))
        .isInstanceOfSatisfying(
            Outcome.Failed.class,
            failed -> {
              assertThat(failed.reason().code()).as(state).isEqualTo(code);
              assertThat(failed.byMessage()).as(state).isEqualTo(byMessage);
            });
  }

  @Test
  void the_states_are_known_before_a_store_exists() {
    assertAllKnown(new FreshClasses(true, states().getClass()));
  }

  @Test
  void a_store_adds_its_states_where_the_list_of_services_was_lost() throws Exception {
    FreshClasses classes = new FreshClasses(false, states().getClass());
    assertThat(classes.classify(error(away().get(0)))).contains("SQLException");
    Class.forName(store().getName(), true, classes);
    assertAllKnown(classes);
  }

  private void assertAllKnown(FreshClasses classes) {
    timeouts().forEach(s -> assertThat(classes.classify(error(s))).contains(Reason.TIMEOUT));
    away().forEach(s -> assertThat(classes.classify(error(s))).contains(Reason.TRANSIENT_NETWORK));
  }
}
