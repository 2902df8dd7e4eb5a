package io.posthorn.kafka;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Sends each message to a topic, as an idempotent producer that all in-sync replicas must
 * acknowledge. Topics are never made silently: see {@link KafkaConfig.Builder#createTopic}.
 *
 * <p>A client that was refused or has failed for good is replaced by a new one at the next message.
 */
public final class KafkaConnector implements Connector {
  private static final Duration CLOSING = Duration.ofSeconds(1);
  private static final Outcome CLOSED =
      Outcome.unavailable(Reason.of(Reason.UNREACHABLE, "the connector is closed"));
  private static final Outcome LATE =
      Outcome.unavailable(
          Reason.of(Reason.UNREACHABLE, "not sent: the messages before it had to wait too long"));

  private final KafkaConfig config;
  private final ClientFailures failures;
  // The client waits for brokers in the thread that sends: until it knows a topic's partitions.
  private final ExecutorService sender;
  private volatile boolean closed;
  private volatile @Nullable Client spoilt;
  private @Nullable Client client; // used by the sender's thread only

  public KafkaConnector(KafkaConfig config) {
    this.config = config;
    this.failures = new ClientFailures(config.topic().isFixed());
    this.sender = Executors.newSingleThreadExecutor(task -> daemon(task, "posthorn-kafka"));
  }

  static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    long until = System.nanoTime() + ClientSettings.starting(config.timeout()).toNanos();
    try {
      sender.execute(() -> sendNow(messages, answers, until));
    } catch (RejectedExecutionException e) {
      answerAll(messages, answers, CLOSED);
    }
  }

  private void sendNow(List<Message> messages, Answers answers, long until) {
    if (closed || System.nanoTime() - until > 0) {
      answerAll(messages, answers, closed ? CLOSED : LATE);
      return;
    }
    Map<Integer, String> topics = new HashMap<>();
    for (int i = 0; i < messages.size(); i++) {
      try {
        topics.put(i, config.topic().of(messages.get(i)));
      } catch (RuntimeException e) {
        answers.answer(i, failures.outcome(e));
      }
    }
    Client current;
    Map<String, Throwable> missing;
    try {
      current = client();
      missing = current.topics.missing(new HashSet<>(topics.values()), until);
    } catch (RuntimeException e) {
      topics.keySet().forEach(i -> answers.answer(i, failures.outcome(e)));
      return;
    }
    topics.forEach(
        (i, topic) -> {
          Throwable problem = missing.get(topic);
          if (problem == null) {
            send(current, messages.get(i), topic, i, answers);
          } else {
            answers.answer(i, noted(current, topic, problem));
          }
        });
    current.roundSent();
  }

  private void send(Client current, Message message, String topic, int index, Answers answers) {
    try {
      current.send(
          message,
          topic,
          (metadata, problem) ->
              answers.answer(
                  index, problem == null ? Outcome.SENT : noted(current, topic, problem)));
    } catch (RuntimeException e) {
      answers.answer(index, noted(current, topic, e));
    }
  }

  private Outcome noted(Client current, String topic, Throwable problem) {
    Outcome outcome = failures.outcome(problem);
    if (outcome instanceof Outcome.Unavailable) {
      current.topics.forget(topic);
    }
    if (ClientFailures.needsNewClient(outcome, current.isOld())) {
      spoilt = current;
    }
    return closed ? CLOSED : outcome;
  }

  private Client client() {
    Client current = client;
    if (current != null && current == spoilt) {
      client = null;
      // Others may be on their way through it and are still to be answered.
      daemon(() -> current.close(config.timeout()), "posthorn-kafka-closing").start();
    }
    if (client == null) {
      try {
        client = Client.open(config);
      } catch (RuntimeException e) {
        // Whatever it was, a password that could not be fetched too: no message is at fault.
        throw new KafkaException("there is no client", e);
      }
    }
    return client;
  }

  private static void answerAll(List<Message> messages, Answers answers, Outcome outcome) {
    for (int i = 0; i < messages.size(); i++) {
      answers.answer(i, outcome);
    }
  }

  @Override
  public boolean serves(String type) {
    return true;
  }

  @Override
  public List<Finding> check() {
    return ClusterCheck.findings(config, failures);
  }

  @Override
  public void close() {
    closed = true;
    // The last task: what came before it finds the connector closed and is answered at once.
    try {
      sender.execute(this::closeClient);
    } catch (RejectedExecutionException e) {
      return;
    }
    sender.shutdown();
    try {
      if (!sender.awaitTermination(config.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
        sender.shutdownNow();
      }
    } catch (InterruptedException e) {
      sender.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void closeClient() {
    if (client != null) {
      client.close(CLOSING);
    }
  }
}
