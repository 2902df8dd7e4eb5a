package io.posthorn.examples.campuscafe.dualwrite;

import io.posthorn.examples.campuscafe.dualwrite.DualWriteMessages.PaymentRequested;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/** Calls the payment service in the middle of a transaction, and again if the answer is late. */
@Component
class PaymentClient {
  private static final int TRIES = 3;

  private final RestClient http;
  private final String url;

  PaymentClient(@Value("${payment.url}") String url) {
    JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
    requests.setReadTimeout(Duration.ofSeconds(2));
    this.http = RestClient.builder().requestFactory(requests).build();
    this.url = url;
  }

  void request(PaymentRequested request) {
    for (int attempt = 1; ; attempt++) {
      try {
        http.post().uri(url).body(request).retrieve().toBodilessEntity();
        return;
      } catch (RestClientException e) {
        if (attempt == TRIES) {
          throw e;
        }
      }
    }
  }
}
