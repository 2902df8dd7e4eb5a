package io.posthorn.examples.campuscafe.stage;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.posthorn.testservers.EmbeddedKafka;
import io.posthorn.testservers.EmbeddedPostgres;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Everything that runs: a database server, a broker, a mail server, and the services of both shops.
 */
final class Cafe implements AutoCloseable {
  static final String ORDER = "order";
  static final String STOCK = "stock";
  static final String PAYMENT = "payment";
  static final String NOTIFICATION = "notification";
  static final String DUAL_WRITE = "dualwrite";
  static final List<String> SERVICES = List.of(ORDER, STOCK, PAYMENT, NOTIFICATION);

  private static final List<String> TYPES =
      List.of(
          "OrderPlaced",
          "ReserveStockRequested",
          "StockReserved",
          "StockRejected",
          "PaymentSucceeded",
          "PaymentFailed",
          "NotifyUserRequested");
  private static final int PARTITIONS = 3;

  private final EmbeddedPostgres postgres;
  private final EmbeddedKafka kafka;
  private final GreenMail mail = new GreenMail(ServerSetup.SMTP.dynamicPort());
  private final Map<String, ServiceProcess> services = new LinkedHashMap<>();
  private final String secret = secret();

  private Cafe(Consumer<String> progress) {
    progress.accept("starting PostgreSQL, Kafka and a mail server …");
    postgres = EmbeddedPostgres.builder().start();
    kafka = EmbeddedKafka.builder().start();
    mail.start();
    for (String name : Stream.concat(SERVICES.stream(), Stream.of(DUAL_WRITE)).toList()) {
      postgres.createDatabase(name);
      services.put(name, new ServiceProcess(name, this::arguments));
    }
  }

  /** Starts everything, and returns when all services serve. */
  static Cafe open(Consumer<String> progress) {
    Cafe cafe = new Cafe(progress);
    try {
      cafe.createTopics();
      progress.accept("starting four services, and the shop without an outbox …");
      cafe.services.values().forEach(ServiceProcess::start);
      cafe.services.values().forEach(ServiceProcess::awaitStart);
      return cafe;
    } catch (RuntimeException e) {
      cafe.close();
      throw e;
    }
  }

  private void createTopics() {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      admin
          .createTopics(
              topics().stream().map(name -> new NewTopic(name, PARTITIONS, (short) 1)).toList())
          .all()
          .get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the topics were not created", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the topics were not created", e);
    }
  }

  static List<String> topics() {
    return TYPES.stream().flatMap(type -> Stream.of("cafe." + type, "dual." + type)).toList();
  }

  private List<String> arguments(ServiceProcess service) {
    String name = service.name();
    ServiceProcess payment = service(name.equals(DUAL_WRITE) ? DUAL_WRITE : PAYMENT);
    return List.of(
        "--spring.config.location=classpath:%s/application.yml".formatted(name),
        "--spring.main.banner-mode=off",
        "--server.address=127.0.0.1",
        "--server.port=" + service.port(),
        "--spring.datasource.url=" + postgres.jdbcUrl(name),
        "--spring.kafka.bootstrap-servers=" + kafka.proxiedServers(),
        "--spring.mail.host=127.0.0.1",
        "--spring.mail.port=" + mail.getSmtp().getPort(),
        "--payment.url=" + payment.url("/payments"),
        "--payment.secret=" + secret,
        "--posthorn.api.database=" + name);
  }

  private static String secret() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return "whsec_" + Base64.getEncoder().encodeToString(bytes);
  }

  EmbeddedPostgres postgres() {
    return postgres;
  }

  EmbeddedKafka kafka() {
    return kafka;
  }

  GreenMail mail() {
    return mail;
  }

  ServiceProcess service(String name) {
    ServiceProcess service = services.get(name);
    if (service == null) {
      throw new IllegalArgumentException("there is no service " + name);
    }
    return service;
  }

  List<ServiceProcess> services() {
    return new ArrayList<>(services.values());
  }

  @Override
  public void close() {
    services.values().forEach(ServiceProcess::close);
    mail.stop();
    kafka.close();
    postgres.close();
  }
}
