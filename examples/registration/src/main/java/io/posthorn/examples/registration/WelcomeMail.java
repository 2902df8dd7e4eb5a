package io.posthorn.examples.registration;

import io.posthorn.core.message.Message;
import jakarta.mail.Message.RecipientType;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

@Component
class WelcomeMail {
  private final JavaMailSender server;
  private final JsonMapper json;

  WelcomeMail(JavaMailSender server, JsonMapper json) {
    this.server = server;
    this.json = json;
  }

  void send(Message message) throws MessagingException {
    UserRegistered user = json.readValue(message.payload(), UserRegistered.class);
    MimeMessage mail = server.createMimeMessage();
    mail.setFrom("welcome@shop.example");
    mail.setRecipient(RecipientType.TO, new InternetAddress(user.email(), true));
    mail.setSubject("Welcome to the shop");
    mail.setText("Hello %s,%n%nhow nice that you are here.%n".formatted(user.name()));
    // If the server's answer is lost, nobody can know whether it has the mail, and it is sent
    // again. By
    // the same Message-ID mail systems see that it is the same mail.
    mail.setHeader("Message-ID", "<%s@shop.example>".formatted(message.id()));
    server.send(mail);
  }
}
