package io.posthorn.webhook;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.apache.hc.core5.concurrent.DefaultThreadFactory;
import org.apache.hc.core5.http.nio.AsyncRequestProducer;

/**
 * Posts each message to an endpoint. Only 2xx is success. Redirects are never followed. Addresses
 * in private networks are never connected to unless the configuration allows them.
 *
 * <p>A receiver that responds with 410 is gone: its destination is paused until a person resumes
 * it.
 */
public final class WebhookConnector implements Connector {
  private final WebhookConfig config;
  private final Secrets secrets;
  private final Requests requests;
  private final Statuses statuses;
  private final LivingClient clients;
  // The client resolves names in the thread that starts a request, and name servers may be slow.
  private final ExecutorService starter;
  private final ScheduledThreadPoolExecutor clock;
  private final AtomicLong responses = new AtomicLong();

  public WebhookConnector(WebhookConfig config) {
    this(config, SystemDefaultDnsResolver.INSTANCE);
  }

  WebhookConnector(WebhookConfig config, DnsResolver names) {
    this.config = config;
    this.secrets = Secrets.of(config.url().template());
    this.requests = new Requests(config, secrets);
    this.statuses = new Statuses(config.url().isFixed());
    this.clients =
        new LivingClient(
            config, new GuardedResolver(names, new NetworkGuard(config.allowedNetworks())));
    this.starter =
        Executors.newSingleThreadExecutor(new DefaultThreadFactory("posthorn-webhook", true));
    this.clock =
        new ScheduledThreadPoolExecutor(
            1, new DefaultThreadFactory("posthorn-webhook-clock", true));
    clock.setRemoveOnCancelPolicy(true);
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    for (int i = 0; i < messages.size(); i++) {
      int index = i;
      Message message = messages.get(i);
      start(
          () -> requests.post(message),
          responses::incrementAndGet,
          outcome -> answers.answer(index, outcome));
    }
  }

  private void start(
      Supplier<AsyncRequestProducer> request, Runnable onResponse, Consumer<Outcome> answer) {
    Exchange exchange =
        new Exchange(
            statuses, secrets, config.longestRetryAfter(), this::after, onResponse, answer);
    long before = responses.get();
    try {
      Runnable timeout = () -> exchange.timedOut(config.timeout(), responses.get() == before);
      exchange.limit(after(config.timeout(), timeout), timeout);
      starter.execute(() -> execute(request, exchange));
    } catch (RejectedExecutionException closed) {
      exchange.cancelled();
    }
  }

  private Future<?> after(Duration time, Runnable action) {
    return clock.schedule(action, time.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void execute(Supplier<AsyncRequestProducer> request, Exchange exchange) {
    if (exchange.isOver()) {
      return; // The relay has its answer, and may already be sending the message again.
    }
    try {
      execute(request.get(), exchange);
    } catch (RuntimeException | Error e) {
      exchange.failedToBuild(e);
    }
  }

  private void execute(AsyncRequestProducer request, Exchange exchange) {
    try {
      Client client = clients.get();
      exchange.sentBy(client);
      exchange.started(client.execute(request, exchange));
    } catch (CancellationException closed) {
      exchange.cancelled();
    } catch (RuntimeException | Error e) {
      exchange.failedToSend(e);
    }
  }

  @Override
  public boolean serves(String type) {
    return true;
  }

  @Override
  public int maxInFlight() {
    return config.maxConnections();
  }

  @Override
  public List<Finding> check() {
    CompletableFuture<Outcome> result = new CompletableFuture<>();
    // A response to OPTIONS does not prove that the endpoint accepts messages.
    start(requests::options, () -> {}, result::complete);
    try {
      Outcome outcome = result.get(config.timeout().toMillis() + 1_000, TimeUnit.MILLISECONDS);
      return findings(outcome);
    } catch (ExecutionException | TimeoutException e) {
      return List.of(Finding.problem(Reason.of(Reason.TIMEOUT, "the endpoint was not reached")));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of(Finding.problem(Reason.of(Reason.TIMEOUT, "the check was interrupted")));
    }
  }

  /** An endpoint that does not support OPTIONS is fine, as long as it responds. */
  private List<Finding> findings(Outcome outcome) {
    Finding limit = Finding.value("maxConnections", Integer.toString(config.maxConnections()));
    if (outcome instanceof Outcome.Unavailable unavailable
        && !unavailable.reason().code().equals("HTTP_405")) {
      return List.of(Finding.problem(unavailable.reason()), limit);
    }
    if (outcome instanceof Outcome.Failed failed) {
      return List.of(Finding.problem(failed.reason()), limit);
    }
    return List.of(limit);
  }

  @Override
  public void close() {
    starter.shutdownNow();
    clock.shutdownNow();
    clients.close();
  }
}
