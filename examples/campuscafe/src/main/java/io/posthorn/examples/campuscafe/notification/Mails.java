package io.posthorn.examples.campuscafe.notification;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import io.posthorn.examples.campuscafe.notification.NotificationMessages.MailDue;
import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mail.javamail.JavaMailSender;
import tools.jackson.databind.json.JsonMapper;

/** The mail server as a destination: no transaction is open while it is slow or down. */
@Configuration
class Mails {
  private final JavaMailSender server;
  private final JsonMapper json;

  Mails(JavaMailSender server, JsonMapper json) {
    this.server = server;
    this.json = json;
  }

  @Bean
  Destination mail() {
    return Destination.named(
            "mail", InProcess.handlers().on("MailDue", this::send).threads(2).build())
        .types("MailDue")
        .sendTimeout(Duration.ofSeconds(3))
        .build();
  }

  private void send(Message message) throws MessagingException {
    MailDue due = json.readValue(message.payload(), MailDue.class);
    MimeMessage mail = server.createMimeMessage();
    mail.setFrom("cafe@campus.example");
    mail.setRecipient(RecipientType.TO, new InternetAddress(due.email(), true));
    mail.setSubject("Your order at CampusCafe");
    mail.setText(due.text());
    // A mail whose answer was lost is sent again. Mail systems recognise it by this id.
    mail.setHeader("Message-ID", "<%s@campus.example>".formatted(message.id()));
    mail.setHeader("X-Order", due.orderId().toString());
    server.send(mail);
  }
}
