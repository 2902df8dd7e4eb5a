package io.posthorn.kafka;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Store;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testkit.ConnectorContract;
import io.posthorn.testkit.ConnectorFixture;
import io.posthorn.testkit.TestMessages;
import io.posthorn.testservers.EmbeddedKafka;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

class KafkaContractTest extends ConnectorContract {
  @Override
  protected ConnectorFixture fixture() {
    return new Topic();
  }

  private static final class Topic implements ConnectorFixture {
    private final EmbeddedKafka kafka = Broker.KAFKA;
    private final String topic = Broker.topic();
    private final Reader reader = new Reader(kafka.bootstrapServers(), topic);
    private HikariDataSource dataSource;

    @Override
    public String name() {
      return "kafka";
    }

    @Override
    public Set<Ability> can() {
      return EnumSet.complementOf(EnumSet.of(Ability.REFUSE, Ability.FAIL_SOME));
    }

    @Override
    public Connector connector() {
      return new KafkaConnector(
          KafkaConfig.to(kafka.proxiedServers(), topic, EnvelopeFormat.cloudEvents("/tests"))
              .timeout(Duration.ofSeconds(4))
              .build());
    }

    @Override
    public Duration sendTimeout() {
      return Duration.ofSeconds(5);
    }

    @Override
    public List<Message> arrived() {
      return reader.messages();
    }

    @Override
    public void stop() {
      kafka.kill();
    }

    @Override
    public void start() {
      kafka.start();
    }

    @Override
    public void freeze() {
      kafka.freeze();
    }

    @Override
    public void thaw() {
      kafka.thaw();
    }

    @Override
    public void cut() {
      kafka.proxy().reset();
      kafka.proxy().pass();
    }

    @Override
    public void removeAddress() {
      reader.records();
      Broker.delete(topic);
    }

    @Override
    public void restoreAddress() {
      Broker.create(topic, Map.of());
      reader.assign();
    }

    @Override
    public Message tooLarge() {
      return TestMessages.sized(2 << 20);
    }

    @Override
    public synchronized DataSource dataSource() {
      if (dataSource == null) {
        dataSource = Database.fresh();
      }
      return dataSource;
    }

    @Override
    public Store store() {
      return PostgresqlStore.on(dataSource());
    }

    @Override
    public void close() {
      if (!kafka.isRunning()) {
        kafka.start();
      }
      kafka.thaw();
      reader.close();
      if (dataSource != null) {
        dataSource.close();
      }
    }
  }
}
