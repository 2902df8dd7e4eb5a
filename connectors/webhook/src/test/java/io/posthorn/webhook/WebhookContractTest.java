package io.posthorn.webhook;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Store;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testkit.ConnectorContract;
import io.posthorn.testkit.ConnectorFixture;
import io.posthorn.testkit.TestMessages;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.FaultProxy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import javax.sql.DataSource;

class WebhookContractTest extends ConnectorContract {
  @Override
  protected ConnectorFixture fixture() {
    return new Webhooks();
  }

  private static final class Webhooks implements ConnectorFixture {
    private static final int LARGEST = 1 << 20;

    private final Endpoint endpoint = new Endpoint().reply(Webhooks::usual);
    private final FaultProxy proxy = FaultProxy.to(endpoint.port());
    private HikariDataSource dataSource;

    private static Endpoint.Reply usual(Endpoint.Request request) {
      if (request.method().equals("OPTIONS")) {
        return Endpoint.Reply.of(405);
      }
      if (request.body().length > LARGEST) {
        return Endpoint.Reply.of(413);
      }
      return Endpoint.Reply.of(request.message().type().equals("Refused") ? 422 : 204);
    }

    @Override
    public String name() {
      return "webhook";
    }

    @Override
    public Set<Ability> can() {
      return EnumSet.allOf(Ability.class);
    }

    @Override
    public Connector connector() {
      return new WebhookConnector(
          WebhookConfig.to(
                  "http://localhost:" + proxy.port() + "/hooks",
                  EnvelopeFormat.cloudEvents("/tests"))
              .plainHttp()
              .allowNetworks("127.0.0.0/8", "::1")
              .unsigned()
              .timeout(Duration.ofSeconds(2))
              .connectTimeout(Duration.ofSeconds(1))
              .build());
    }

    @Override
    public Duration sendTimeout() {
      return Duration.ofSeconds(3);
    }

    @Override
    public List<Message> arrived() {
      return endpoint.accepted();
    }

    @Override
    public void stop() {
      proxy.refuse();
      endpoint.stop();
    }

    @Override
    public void start() {
      endpoint.start();
      proxy.pass();
    }

    @Override
    public void freeze() {
      proxy.hold();
    }

    @Override
    public void thaw() {
      proxy.pass();
    }

    @Override
    public void cut() {
      proxy.reset();
      proxy.pass();
    }

    @Override
    public void removeAddress() {
      endpoint.reply(404);
    }

    @Override
    public void restoreAddress() {
      endpoint.reply(Webhooks::usual);
    }

    @Override
    public void failSome(boolean some) {
      Random random = new Random(5);
      endpoint.reply(
          request -> some && random.nextInt(5) == 0 ? Endpoint.Reply.of(500) : usual(request));
    }

    @Override
    public Message tooLarge() {
      return TestMessages.sized(LARGEST + 1);
    }

    @Override
    public Message refused() {
      return TestMessages.typed("Refused", "refused");
    }

    @Override
    public synchronized DataSource dataSource() {
      if (dataSource == null) {
        EmbeddedPostgres postgres = EmbeddedPostgres.shared();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(postgres.jdbcUrl(postgres.freshDatabase()));
        dataSource = new HikariDataSource(config);
        new Migrations(Tables.DEFAULT).migrate(dataSource);
      }
      return dataSource;
    }

    @Override
    public Store store() {
      return PostgresqlStore.on(dataSource());
    }

    @Override
    public void close() {
      proxy.close();
      endpoint.close();
      if (dataSource != null) {
        dataSource.close();
      }
    }
  }
}
