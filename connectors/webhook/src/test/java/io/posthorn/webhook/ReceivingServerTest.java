package io.posthorn.webhook;

import static io.posthorn.testkit.TestMessages.keyed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The example of the guide: a server that handles each received webhook once in effect. */
class ReceivingServerTest {
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final Consumer BILLING = new Consumer("billing", false);

  private final WebhookReceiver receiver =
      new WebhookReceiver(
          ReceiverConfig.at("shop", EnvelopeReader.cloudEvents()).signedWith(SECRET).build());
  private final AtomicBoolean broken = new AtomicBoolean();
  private HikariDataSource dataSource;
  private InboxStore inbox;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException, SQLException {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(postgres.jdbcUrl(postgres.freshDatabase()));
    dataSource = new HikariDataSource(config);
    new Migrations(Tables.DEFAULT).migrate(dataSource);
    PostgresqlStore store = PostgresqlStore.on(dataSource);
    store.register(
        "tests", List.of(new ServedDestination(BILLING.name(), Set.of(), Start.NOW, Direction.IN)));
    inbox = store;
    try (Connection connection = dataSource.getConnection()) {
      connection.createStatement().execute("CREATE TABLE bill (content text)");
    }
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/hooks", this::serve);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    dataSource.close();
  }

  // tag::example[]
  private void serve(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(receiver.maxBytes() + 1);
    Incoming incoming = receiver.receive(exchange.getRequestHeaders(), body);
    int status =
        incoming instanceof Incoming.Accepted accepted
            ? handle(accepted.received())
            : ((Incoming.Refused) incoming).status();
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  /** One transaction for the receipt and the work. */
  private int handle(Received received) {
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      InboxVerdict verdict = inbox.receive(tx, BILLING, List.of(received)).verdicts().get(0);
      if (verdict.handled()) {
        bill(tx, received.message());
      }
      if (verdict == InboxVerdict.PAUSED) {
        tx.rollback();
        return 503;
      }
      tx.commit();
      return 204;
    } catch (SQLException | RuntimeException e) {
      return 503;
    }
  }

  // end::example[]

  private void bill(Connection tx, Message message) throws SQLException {
    try (PreparedStatement insert = tx.prepareStatement("INSERT INTO bill VALUES (?)")) {
      insert.setString(1, new String(message.payload(), UTF_8));
      insert.executeUpdate();
    }
    if (broken.get()) {
      throw new SQLException("the printer is on fire");
    }
  }

  private int bills() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        ResultSet count = connection.createStatement().executeQuery("SELECT count(*) FROM bill")) {
      count.next();
      return count.getInt(1);
    }
  }

  private WebhookConfig.Builder to(String secret, EnvelopeFormat format) {
    return WebhookConfig.to("http://127.0.0.1:" + server.getAddress().getPort() + "/hooks", format)
        .plainHttp()
        .allowNetworks("127.0.0.0/8")
        .signedWith(secret);
  }

  @Test
  void a_webhook_takes_effect_once_however_often_it_is_sent() throws SQLException {
    for (EnvelopeFormat format :
        List.of(
            EnvelopeFormat.cloudEvents("/shop"), EnvelopeFormat.structuredCloudEvents("/shop"))) {
      int before = bills();
      Message message = keyed("k", "{\"total\":1}");
      for (int i = 0; i < 3; i++) {
        assertThat(Sent.once(to(SECRET, format), message)).isEqualTo(Outcome.SENT);
      }
      assertThat(bills()).isEqualTo(before + 1);
    }
  }

  @Test
  void what_could_not_be_handled_is_asked_for_again() throws SQLException {
    Message message = keyed("k", "{\"total\":1}");
    WebhookConfig.Builder shop = to(SECRET, EnvelopeFormat.cloudEvents("/shop"));
    broken.set(true);
    assertThat(Sent.text(Sent.once(shop, message))).isEqualTo("Failed HTTP_503");
    assertThat(bills()).isZero();
    broken.set(false);
    assertThat(Sent.once(shop, message)).isEqualTo(Outcome.SENT);
    assertThat(bills()).isEqualTo(1);
  }

  @Test
  void a_stranger_is_refused_and_pauses_at_most_himself() throws SQLException {
    String other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    assertThat(
            Sent.text(Sent.once(to(other, EnvelopeFormat.cloudEvents("/shop")), keyed("k", "1"))))
        .startsWith("Unavailable");
    assertThat(bills()).isZero();
  }
}
