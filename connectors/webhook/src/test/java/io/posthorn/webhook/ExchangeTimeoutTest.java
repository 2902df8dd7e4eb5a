package io.posthorn.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A response that does not come in time has one outcome, whoever notices it first. */
class ExchangeTimeoutTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final List<Outcome> answers = new ArrayList<>();
  private final Exchange exchange =
      new Exchange(
          new Statuses(true),
          Secrets.of("https://localhost/hooks"),
          TIMEOUT,
          (time, action) -> new CompletableFuture<>(),
          () -> {},
          answers::add);

  private void limit(boolean silence) {
    exchange.limit(new CompletableFuture<>(), () -> exchange.timedOut(TIMEOUT, silence));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void the_outcome_is_the_same_whether_the_client_or_the_clock_is_first(boolean silence) {
    limit(silence);
    exchange.failed(new SocketTimeoutException("the response did not end in time"));
    exchange.timedOut(TIMEOUT, silence);
    assertThat(answers)
        .extracting(Sent::text)
        .containsExactly(silence ? "Unavailable TIMEOUT" : "Failed TIMEOUT");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_connection_that_is_not_made_in_time_is_unreachable(boolean silence) {
    limit(silence);
    exchange.failed(new ConnectTimeoutException("connect timed out"));
    assertThat(answers).extracting(Sent::text).containsExactly("Unavailable UNREACHABLE");
  }
}
