package io.posthorn.core.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.ErrorMeaning;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What is remembered of messages whose transaction lost its connection. */
class LostConnectionSuspectsTest {
  private static final int GROUP = 100;

  private final LostConnectionSuspects suspects =
      new LostConnectionSuspects(
          new HandlerTransaction(answering(), error -> ErrorMeaning.UNKNOWN, null));

  /** A database that answers all other connections. */
  private static DataSource answering() {
    Connection connection =
        (Connection)
            Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) -> method.getName().equals("isValid") ? true : null);
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> connection);
  }

  private static TransactionFailure lost() {
    return new TransactionFailure(
        TransactionFailure.Kind.LOST, -1, new SQLException("the connection is gone"));
  }

  private static List<Received> group() {
    return Stream.generate(() -> new Received("shop", Message.of("Placed").build()))
        .limit(GROUP)
        .toList();
  }

  @Test
  void any_number_of_messages_that_never_come_back_takes_a_bounded_memory() {
    for (int i = 0; i < 5 * LostConnectionSuspects.MOST / GROUP; i++) {
      assertThat(suspects.judge(group(), lost())).isNull();
      assertThat(suspects.remembered()).isBetween(GROUP, LostConnectionSuspects.MOST + GROUP);
    }
  }

  @Test
  void a_message_that_loses_the_connection_each_time_is_at_fault_and_one_that_is_handled_is_not() {
    List<Received> group = group();
    assertThat(suspects.judge(group, lost())).isNull();
    assertThat(suspects.judge(group, lost())).isNull();
    suspects.clear(group.subList(0, 1));
    assertThat(suspects.judge(group, lost())).isNull();
    assertThat(suspects.judge(group.subList(1, GROUP), lost()))
        .satisfies(
            failure -> assertThat(failure.kind()).isEqualTo(TransactionFailure.Kind.HANDLER));
    suspects.clear(group);
    assertThat(suspects.remembered()).isZero();
  }
}
