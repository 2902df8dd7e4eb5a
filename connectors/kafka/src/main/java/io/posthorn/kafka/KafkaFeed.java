package io.posthorn.kafka;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * One member of a consumer group. What the client handed over and nobody asked for yet waits here;
 * while it does, and while messages are kept, the client is polled with all partitions paused, so
 * that the member stays in the group.
 *
 * <p>A client that was refused or is spoilt is closed, and the next call makes another.
 */
final class KafkaFeed implements Feed, ConsumerRebalanceListener {
  private static final Duration COMMIT = Duration.ofSeconds(5);
  private static final Duration GOODBYE = Duration.ofSeconds(5);
  private static final Duration UNTIL_THERE_IS_A_POSITION = Duration.ofMillis(50);
  private static final long SIGN_OF_LIFE = Duration.ofSeconds(1).toNanos();
  private static final long LOOK = Duration.ofSeconds(10).toNanos();
  private static final long LOOK_WHILE_NOTHING_IS_OURS = Duration.ofSeconds(3).toNanos();

  private final KafkaSourceConfig config;
  private final String name;
  private final String group;
  private final RecordReader arrivals;
  private final Map<String, Uuid> read;
  private final ClientFailures failures = new ClientFailures(true);
  private final Starts starts;
  private final Holdings holdings = new Holdings();
  private @Nullable Consumer<byte @Nullable [], byte @Nullable []> client;
  private @Nullable TopicIds ids;
  private boolean paused;
  private long pulledAt = System.nanoTime() - SIGN_OF_LIFE;
  private long lookedAt = System.nanoTime();

  /** With the topics that this program read already in this group, by their ids. */
  KafkaFeed(KafkaSourceConfig config, String name, String group, Map<String, Uuid> read) {
    this.config = config;
    this.name = name;
    this.group = group;
    this.read = read;
    this.arrivals = new RecordReader(config.reader());
    this.starts = new Starts(config, group);
  }

  @Override
  public List<Received> poll(int most, Duration wait) throws InterruptedException {
    long until = System.nanoTime() + wait.toNanos();
    commit(wait.compareTo(COMMIT) < 0 ? wait : COMMIT);
    do {
      if (holdings.isNothingWaiting()) {
        pull(left(until), false);
      } else if (System.nanoTime() - pulledAt > SIGN_OF_LIFE) {
        pull(Duration.ZERO, true);
      }
    } while (holdings.isNothingWaiting() && !left(until).isZero());
    if (System.nanoTime() - lookedAt > (holdings.isEmpty() ? LOOK_WHILE_NOTHING_IS_OURS : LOOK)) {
      lookAtTopics();
    }
    return holdings.take(most, arrivals);
  }

  @Override
  public void acknowledge(List<Received> done) {
    holdings.done(done);
    commit(COMMIT);
  }

  @Override
  public List<Received> keep(List<Received> inHand, Duration pause) throws InterruptedException {
    long until = System.nanoTime() + pause.toNanos();
    // Also without a pause: whoever asks often is seen to be alive.
    do {
      pull(left(until), true);
    } while (inHand.stream().anyMatch(holdings::owns) && !left(until).isZero());
    return inHand.stream().filter(holdings::owns).toList();
  }

  private void pull(Duration wait, boolean pausing) throws InterruptedException {
    pulledAt = System.nanoTime();
    try {
      Consumer<byte @Nullable [], byte @Nullable []> polled = client();
      paused = pausing;
      if (pausing) {
        polled.pause(polled.assignment());
      } else {
        polled.resume(polled.paused());
      }
      holdings.arrived(polled.poll(wait));
    } catch (NoOffsetForPartitionException e) {
      begin(e.partitions());
    } catch (OffsetOutOfRangeException e) {
      goOn(e.offsetOutOfRangePartitions());
    } catch (InterruptException e) {
      throw interrupted();
    } catch (RetriableException e) {
      // the client goes on by itself
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  private Consumer<byte @Nullable [], byte @Nullable []> client() {
    Consumer<byte @Nullable [], byte @Nullable []> open = client;
    if (open == null) {
      open =
          new KafkaConsumer<>(
              ConsumerSettings.of(config, group),
              new ByteArrayDeserializer(),
              new ByteArrayDeserializer());
      client = open;
      ids = new TopicIds(config, read);
      open.subscribe(config.topics(), this);
    }
    return open;
  }

  private void begin(Collection<TopicPartition> partitions) throws InterruptedException {
    TopicIds looked = ids;
    if (looked != null && !set(() -> starts.first(client(), looked, partitions))) {
      // Another member may have to see to it: that takes a moment.
      Thread.sleep(UNTIL_THERE_IS_A_POSITION.toMillis());
    }
  }

  private void goOn(Map<TopicPartition, Long> gone) throws InterruptedException {
    set(() -> starts.afterLoss(client(), gone));
  }

  private interface Positions {
    Map<TopicPartition, Long> find();
  }

  /** From here on these partitions are read, and that is committed, too. */
  private boolean set(Positions positions) throws InterruptedException {
    try {
      Map<TopicPartition, Long> found = positions.find();
      hold(found);
      commit(COMMIT);
      return !found.isEmpty();
    } catch (InterruptException e) {
      throw interrupted();
    } catch (CommitFailedException
        | RebalanceInProgressException
        | RetriableException
        | IllegalStateException e) {
      // Not answered, or not ours any more: the next poll finds out.
      return false;
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  private void hold(Map<TopicPartition, Long> positions) {
    positions.forEach(
        (partition, offset) -> {
          client().seek(partition, offset);
          holdings.startAt(partition, offset);
        });
  }

  /** Nothing is lost if this fails: what is not committed comes again. */
  private void commit(Duration wait) {
    KafkaException thrown = tryCommit(wait);
    if (thrown != null) {
      throw failed(thrown);
    }
  }

  private @Nullable KafkaException tryCommit(Duration wait) {
    Map<TopicPartition, Long> points = holdings.toCommit();
    TopicIds known = ids;
    if (points.isEmpty() || known == null) {
      return null;
    }
    try {
      client().commitSync(known.marked(points), wait);
      holdings.committed(points);
      known.committed(points.keySet());
    } catch (CommitFailedException
        | FencedInstanceIdException
        | RebalanceInProgressException
        | RetriableException e) {
      // Not ours any more, as the next poll will say; or to be tried again with the next call.
    } catch (InterruptException e) {
      Thread.currentThread().interrupt();
    } catch (KafkaException e) {
      return e;
    }
    return null;
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    holdings.add(partitions);
    if (paused) {
      client().pause(partitions);
    }
    if (!partitions.isEmpty()) {
      lookBack(partitions);
    }
  }

  /** Were the positions of these committed in topics that are gone? */
  private void lookBack(Collection<TopicPartition> partitions) {
    try {
      TopicIds looked = ids;
      if (looked != null) {
        Map<String, Uuid> seen = looked.look(config.topics());
        Set<TopicPartition> anew = looked.changed(holdings.partitions(), seen);
        client()
            .committed(Set.copyOf(partitions), config.timeout())
            .forEach(
                (partition, point) -> {
                  if (point != null && TopicIds.isOfAnother(partition, point, seen)) {
                    anew.add(partition);
                  }
                });
        hold(starts.ofNewTopics(client(), anew));
        looked.remember(seen);
      }
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      // Then nothing is known of it. The next look fails with it, too, or succeeds.
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    // The client is in the middle of a poll: if it is of no use any more, that says so.
    tryCommit(COMMIT);
    onPartitionsLost(partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    holdings.drop(partitions);
  }

  /** The client says nothing of topics that do not exist, or are others of the same name. */
  private void lookAtTopics() throws InterruptedException {
    lookedAt = System.nanoTime();
    TopicIds looked = ids;
    if (looked == null) {
      return;
    }
    try {
      Map<String, Uuid> seen = looked.look(config.topics());
      hold(starts.ofNewTopics(client(), looked.changed(holdings.partitions(), seen)));
      looked.remember(seen);
    } catch (InterruptException e) {
      throw interrupted();
    } catch (UnknownTopicOrPartitionException e) {
      throw failed(e);
    } catch (RetriableException e) {
      // no answer, no verdict
    } catch (KafkaException e) {
      throw failed(e);
    }
  }

  private PosthornException failed(KafkaException thrown) {
    end(Duration.ZERO);
    String why =
        failures.outcome(thrown) instanceof Outcome.Unavailable unavailable
            ? unavailable.reason().code() + ", " + unavailable.reason().text()
            : thrown.toString();
    return new PosthornException(
        ErrorCode.SOURCE_FAILED,
        "nothing is received from %s for group '%s': %s. Mend it there or in the configuration; nothing is lost, and the next poll tries again."
            .formatted(name, group, why),
        thrown);
  }

  private static InterruptedException interrupted() {
    Thread.interrupted();
    return new InterruptedException("interrupted while waiting for Kafka");
  }

  private static Duration left(long until) {
    return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
  }

  private void end(Duration wait) {
    Consumer<?, ?> open = client;
    client = null;
    holdings.clear();
    TopicIds looked = ids;
    ids = null;
    if (looked != null) {
      looked.close();
    }
    if (open != null) {
      try {
        open.close(CloseOptions.timeout(wait));
      } catch (InterruptException e) {
        Thread.currentThread().interrupt();
      } catch (KafkaException e) {
        // it is of no use any more either way
      }
    }
  }

  @Override
  public void close() {
    tryCommit(GOODBYE);
    end(GOODBYE);
  }
}
