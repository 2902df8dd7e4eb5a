package io.posthorn.examples.campuscafe.payment;

import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.webhook.Incoming;
import io.posthorn.webhook.ReceiverConfig;
import io.posthorn.webhook.WebhookReceiver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** The endpoint of the order service's webhooks. It believes only what is signed. */
@RestController
class PaymentController {
  private final Payments payments;
  private final WebhookReceiver receiver;

  PaymentController(Payments payments, @Value("${payment.secret}") String secret) {
    this.payments = payments;
    this.receiver =
        new WebhookReceiver(
            ReceiverConfig.at("payments", EnvelopeReader.cloudEvents()).signedWith(secret).build());
  }

  @PostMapping("/payments")
  ResponseEntity<String> pay(@RequestHeader HttpHeaders headers, @RequestBody byte[] body) {
    Map<String, List<String>> values = new HashMap<>();
    headers.forEach(values::put);
    Incoming incoming = receiver.receive(values, body);
    if (incoming instanceof Incoming.Refused refused) {
      return ResponseEntity.status(refused.status()).body(refused.text());
    }
    payments.charge(((Incoming.Accepted) incoming).received().message());
    return ResponseEntity.noContent().build();
  }
}
