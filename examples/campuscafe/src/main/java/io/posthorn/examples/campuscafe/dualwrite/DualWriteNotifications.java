package io.posthorn.examples.campuscafe.dualwrite;

import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.NotifyUserRequested;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The notification service. */
@Service
class DualWriteNotifications {
  private final JdbcClient jdbc;
  private final Broker broker;
  private final JavaMailSender server;

  DualWriteNotifications(JdbcClient jdbc, Broker broker, JavaMailSender server) {
    this.jdbc = jdbc;
    this.broker = broker;
    this.server = server;
  }

  @KafkaListener(id = "notifications", topics = "dual.NotifyUserRequested")
  @Transactional
  public void notify(String text) {
    NotifyUserRequested request = broker.read(text, NotifyUserRequested.class);
    jdbc.sql("INSERT INTO notification (order_id, text) VALUES (:order, :text)")
        .param("order", request.orderId())
        .param("text", request.text())
        .update();
    SimpleMailMessage mail = new SimpleMailMessage();
    mail.setFrom("dual-write@campus.example");
    mail.setTo(request.email());
    mail.setSubject("Your order at the other cafe");
    mail.setText(request.text());
    server.send(mail);
  }
}
