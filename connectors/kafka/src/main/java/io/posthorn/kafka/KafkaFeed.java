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
 * One member of a consumer group.
 *
 * <p>Records that the client returned but no poll has asked for yet wait here. While records wait,
 * and while the caller keeps messages, the client is polled with all partitions paused, so that the
 * member stays in the group.
 *
 * <p>A client that was refused or has become unusable is closed; the next call opens another.
 */
final class KafkaFeed implements Feed, ConsumerRebalanceListener {
  private static final Duration COMMIT = Duration.ofSeconds(5);
  private static final Duration CLOSING = Duration.ofSeconds(5);
  private static final Duration POSITION_PAUSE = Duration.ofMillis(50);
  private static final long KEEP_ALIVE = Duration.ofSeconds(1).toNanos();
  private static final long TOPIC_CHECK = Duration.ofSeconds(10).toNanos();
  private static final long UNASSIGNED_TOPIC_CHECK = Duration.ofSeconds(3).toNanos();

  private final KafkaSourceConfig config;
  private final String name;
  private final String group;
  private final RecordReader reader;
  private final Map<String, Uuid> read;
  private final ClientFailures failures = new ClientFailures(true);
  private final StartPositions starts;
  private final HeldPartitions holdings = new HeldPartitions();
  private @Nullable Consumer<byte @Nullable [], byte @Nullable []> client;
  private @Nullable TopicIds ids;
  private boolean paused;
  private long polledAt = System.nanoTime() - KEEP_ALIVE;
  private long topicsCheckedAt = System.nanoTime();

  /** Takes the topics that this program has already read in this group, with their ids. */
  KafkaFeed(KafkaSourceConfig config, String name, String group, Map<String, Uuid> read) {
    this.config = config;
    this.name = name;
    this.group = group;
    this.read = read;
    this.reader = new RecordReader(config.reader());
    this.starts = new StartPositions(config, group);
  }

  @Override
  public List<Received> poll(int most, Duration wait) throws InterruptedException {
    long until = System.nanoTime() + wait.toNanos();
    commit(wait.compareTo(COMMIT) < 0 ? wait : COMMIT);
    do {
      if (holdings.isNothingWaiting()) {
        pollClient(left(until), false);
      } else if (System.nanoTime() - polledAt > KEEP_ALIVE) {
        pollClient(Duration.ZERO, true);
      }
    } while (holdings.isNothingWaiting() && !left(until).isZero());
    if (System.nanoTime() - topicsCheckedAt
        > (holdings.isEmpty() ? UNASSIGNED_TOPIC_CHECK : TOPIC_CHECK)) {
      checkTopics();
    }
    return holdings.take(most, reader);
  }

  @Override
  public void acknowledge(List<Received> done) {
    holdings.done(done);
    commit(COMMIT);
  }

  @Override
  public List<Received> keep(List<Received> inHand, Duration pause) throws InterruptedException {
    long until = System.nanoTime() + pause.toNanos();
    // Polls without a pause too: a member that polls often counts as alive.
    do {
      pollClient(left(until), true);
    } while (inHand.stream().anyMatch(holdings::owns) && !left(until).isZero());
    return inHand.stream().filter(holdings::owns).toList();
  }

  private void pollClient(Duration wait, boolean pausing) throws InterruptedException {
    polledAt = System.nanoTime();
    try {
      Consumer<byte @Nullable [], byte @Nullable []> polled = client();
      paused = pausing;
      if (pausing) {
        polled.pause(polled.assignment());
      } else {
        polled.resume(polled.paused());
      }
      holdings.addRecords(polled.poll(wait));
    } catch (NoOffsetForPartitionException e) {
      startAtFirst(e.partitions());
    } catch (OffsetOutOfRangeException e) {
      resumeAfterLoss(e.offsetOutOfRangePartitions());
    } catch (InterruptException e) {
      throw interrupted();
    } catch (RetriableException e) {
      // the client retries by itself
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

  private void startAtFirst(Collection<TopicPartition> partitions) throws InterruptedException {
    TopicIds topicIds = ids;
    if (topicIds != null && !set(() -> starts.first(client(), topicIds, partitions))) {
      // Another member may have to commit the position first, which takes a moment.
      Thread.sleep(POSITION_PAUSE.toMillis());
    }
  }

  private void resumeAfterLoss(Map<TopicPartition, Long> gone) throws InterruptedException {
    set(() -> starts.afterLoss(client(), gone));
  }

  private interface Positions {
    Map<TopicPartition, Long> find();
  }

  /** Reads these partitions from these positions on, and commits the positions. */
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
      // No answer, or the partition is no longer assigned to this member: the next poll finds out.
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

  /** Commits what was acknowledged. A failure loses nothing: uncommitted messages arrive again. */
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
      // The partition is no longer assigned, as the next poll will say; or the next call retries.
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
      checkCommittedPositions(partitions);
    }
  }

  /** Checks whether these partitions' positions were committed in topics since deleted. */
  private void checkCommittedPositions(Collection<TopicPartition> partitions) {
    try {
      TopicIds topicIds = ids;
      if (topicIds != null) {
        Map<String, Uuid> seen = topicIds.currentIds(config.topics());
        Set<TopicPartition> recreated = topicIds.changed(holdings.partitions(), seen);
        client()
            .committed(Set.copyOf(partitions), config.timeout())
            .forEach(
                (partition, point) -> {
                  if (point != null && TopicIds.isOfAnother(partition, point, seen)) {
                    recreated.add(partition);
                  }
                });
        hold(starts.ofNewTopics(client(), recreated));
        topicIds.remember(seen);
      }
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      // The check is skipped. The next check of the topics fails with the error, or succeeds.
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    // The client is in the middle of a poll, which reports an error of its own if it is unusable.
    tryCommit(COMMIT);
    onPartitionsLost(partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    holdings.drop(partitions);
  }

  /** Checks that the topics exist and are the same ones; the client reports neither. */
  private void checkTopics() throws InterruptedException {
    topicsCheckedAt = System.nanoTime();
    TopicIds topicIds = ids;
    if (topicIds == null) {
      return;
    }
    try {
      Map<String, Uuid> seen = topicIds.currentIds(config.topics());
      hold(starts.ofNewTopics(client(), topicIds.changed(holdings.partitions(), seen)));
      topicIds.remember(seen);
    } catch (InterruptException e) {
      throw interrupted();
    } catch (UnknownTopicOrPartitionException e) {
      throw failed(e);
    } catch (RetriableException e) {
      // without an answer nothing is known
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
        "nothing was received from %s for group '%s': %s. Correct it at the brokers or in the configuration. Nothing is lost, and the next poll tries again."
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
    TopicIds topicIds = ids;
    ids = null;
    if (topicIds != null) {
      topicIds.close();
    }
    if (open != null) {
      try {
        open.close(CloseOptions.timeout(wait));
      } catch (InterruptException e) {
        Thread.currentThread().interrupt();
      } catch (KafkaException e) {
        // the client is discarded anyway
      }
    }
  }

  @Override
  public void close() {
    tryCommit(CLOSING);
    end(CLOSING);
  }
}
