package io.posthorn.kafka;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.EnvelopeFormat;
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
 * Sends each message to a Kafka topic through an idempotent producer; all in-sync replicas must
 * acknowledge it. Topics are never created silently: see {@link KafkaConfig.Builder#createTopic}.
 *
 * <p>A client that was refused or has become unusable is replaced by a new one at the next message.
 */
public final class KafkaConnector implements Connector {
  private static final Duration CLOSING = Duration.ofSeconds(1);
  private static final Outcome CLOSED =
      Outcome.unavailable(Reason.of(Reason.UNREACHABLE, "the connector is closed"));
  private static final Outcome LATE =
      Outcome.unavailable(
          Reason.of(Reason.UNREACHABLE, "not sent: the messages before it took too long"));

  private final KafkaConfig config;
  private final ClientFailures failures;
  // The client blocks the sending thread until brokers have answered with the topic's partitions.
  private final ExecutorService sender;
  private volatile boolean closed;
  private volatile @Nullable SendingClient unusable;
  private @Nullable SendingClient client; // used by the sender's thread only

  /**
   * Sends CloudEvents, with defaults for everything else.
   *
   * @param servers the bootstrap servers, for example {@code kafka-1:9092,kafka-2:9092}
   * @param topic the topic, or a pattern for it; see {@link KafkaConfig#to}
   * @param sender the CloudEvents attribute {@code source}, for example {@code /shop/orders}
   */
  public static KafkaConnector to(String servers, String topic, String sender) {
    return new KafkaConnector(
        KafkaConfig.to(servers, topic, EnvelopeFormat.cloudEvents(sender)).build());
  }

  /** Sends as this configuration says. */
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
    SendingClient used;
    Map<String, Throwable> missing;
    try {
      used = client();
      missing = used.topics.missing(new HashSet<>(topics.values()), until);
    } catch (RuntimeException e) {
      topics.keySet().forEach(i -> answers.answer(i, failures.outcome(e)));
      return;
    }
    topics.forEach(
        (i, topic) -> {
          Throwable problem = missing.get(topic);
          if (problem == null) {
            send(used, messages.get(i), topic, i, answers);
          } else {
            answers.answer(i, outcomeOf(used, topic, problem));
          }
        });
    used.roundSent();
  }

  private void send(SendingClient used, Message message, String topic, int index, Answers answers) {
    try {
      used.send(
          message,
          topic,
          (metadata, problem) ->
              answers.answer(
                  index, problem == null ? Outcome.SENT : outcomeOf(used, topic, problem)));
    } catch (RuntimeException e) {
      answers.answer(index, outcomeOf(used, topic, e));
    }
  }

  private Outcome outcomeOf(SendingClient used, String topic, Throwable problem) {
    Outcome outcome = failures.outcome(problem);
    if (outcome instanceof Outcome.Unavailable) {
      used.topics.forget(topic);
    }
    if (ClientFailures.needsNewClient(outcome, used.isOld())) {
      unusable = used;
    }
    return closed ? CLOSED : outcome;
  }

  private SendingClient client() {
    SendingClient used = client;
    if (used != null && used == unusable) {
      client = null;
      // Messages sent through it may still be waiting for their answers.
      daemon(() -> used.close(config.timeout()), "posthorn-kafka-closing").start();
    }
    if (client == null) {
      try {
        client = SendingClient.open(config);
      } catch (RuntimeException e) {
        // No message is at fault, whatever failed, which includes a password that could not be
        // fetched.
        throw new KafkaException("the Kafka client could not be opened", e);
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
    // This is the last task: batches queued before it see the closed flag and are answered at once.
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
