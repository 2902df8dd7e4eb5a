package io.posthorn.postgresql;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Handler;
import io.posthorn.core.connector.InProcess;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Store;
import io.posthorn.testkit.ConnectorContract;
import io.posthorn.testkit.ConnectorFixture;
import io.posthorn.testkit.Oracle;
import io.posthorn.testkit.TestMessages;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/** Handlers in the same program keep those promises of connectors that apply to them. */
class InProcessConnectorTest extends ConnectorContract {
  @Override
  protected ConnectorFixture fixture() {
    return new Handlers();
  }

  private static final class Handlers implements ConnectorFixture {
    private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
    private final Queue<Message> arrived = new ConcurrentLinkedQueue<>();

    @Override
    public String name() {
      return "in process";
    }

    @Override
    public Set<Ability> can() {
      return Set.of(Ability.REFUSE);
    }

    @Override
    public Connector connector() {
      Handler taking = arrived::add;
      return InProcess.handlers()
          .on("order.Placed/v1", taking)
          .on("Binary", taking)
          .on("Empty", taking)
          .on("Unkeyed", taking)
          .on(TestMessages.TYPE, taking)
          .on(Oracle.TYPE, taking)
          .on(
              "Refused",
              message -> {
                throw new RejectedException("REFUSED", "not this one");
              })
          .build();
    }

    @Override
    public Duration sendTimeout() {
      return Duration.ofSeconds(5);
    }

    @Override
    public List<Message> arrived() {
      return List.copyOf(arrived);
    }

    @Override
    public Message refused() {
      return TestMessages.typed("Refused", "refused");
    }

    @Override
    public DataSource dataSource() {
      return database.dataSource();
    }

    @Override
    public Store store() {
      return database.store();
    }

    @Override
    public void close() {
      database.discard();
    }
  }
}
