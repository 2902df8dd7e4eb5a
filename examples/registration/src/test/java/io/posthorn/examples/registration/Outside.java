package io.posthorn.examples.registration;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.posthorn.test.EmbeddedDatabase;
import io.posthorn.testservers.EmbeddedKafka;
import io.posthorn.testservers.FaultProxy;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** What the application talks to: a real database, mail server and Kafka, which can be broken. */
final class Outside {
  static final String TOPIC = "users";

  private final EmbeddedDatabase database = EmbeddedDatabase.empty();
  private final GreenMail mailServer = new GreenMail(ServerSetup.SMTP.dynamicPort());
  private final EmbeddedKafka kafka = EmbeddedKafka.builder().start();
  private final FaultProxy roadToMails;

  private Outside() throws Exception {
    mailServer.start();
    roadToMails = FaultProxy.to(mailServer.getSmtp().getPort());
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 3, (short) 1))).all().get();
    }
  }

  static Outside start() {
    try {
      return new Outside();
    } catch (Exception e) {
      throw new IllegalStateException("the servers did not start", e);
    }
  }

  /** Where the application finds them. */
  Map<String, Object> properties() {
    return Map.of(
        "spring.datasource.url", database.jdbcUrl(),
        "spring.mail.port", roadToMails.port(),
        "spring.kafka.bootstrap-servers", kafka.proxiedServers());
  }

  GreenMail mailServer() {
    return mailServer;
  }

  FaultProxy roadToMails() {
    return roadToMails;
  }

  FaultProxy roadToKafka() {
    return kafka.proxy();
  }

  String kafkaForReading() {
    return kafka.bootstrapServers();
  }
}
