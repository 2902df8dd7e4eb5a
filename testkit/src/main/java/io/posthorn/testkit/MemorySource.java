package io.posthorn.testkit;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A broker in memory that does to its messages whatever a broker may do: it delivers them several
 * times, gives what was not acknowledged to another feed, and keeps no order but that of a key.
 * Messages of one key are in one partition; each partition belongs to one feed of a consumer at a
 * time.
 */
public final class MemorySource implements Source {
  /** The default sender. */
  public static final String SENDER = "memory";

  private final List<List<Message>> partitions = new ArrayList<>();
  private final Map<String, MemoryGroup> groups = new HashMap<>();
  private final Random random;
  private String sender = SENDER;
  private List<Finding> findings = List.of();
  private double losses;
  private long sequence;
  private boolean sequences = true;
  private @Nullable BiConsumer<String, List<Received>> onAcknowledge;

  public MemorySource(int partitions, long seed) {
    for (int i = 0; i < partitions; i++) {
      this.partitions.add(new ArrayList<>());
    }
    this.random = new Random(seed);
  }

  // ---- what a test does ----

  public MemorySource sender(String name) {
    this.sender = name;
    return this;
  }

  /** The messages carry no sequence number. */
  public MemorySource withoutSequences() {
    this.sequences = false;
    return this;
  }

  /** With this probability a poll finds that all partitions have been dealt out anew. */
  public MemorySource losing(double probability) {
    this.losses = probability;
    return this;
  }

  public MemorySource findings(Finding... told) {
    this.findings = List.of(told);
    return this;
  }

  /** Called with the consumer before an acknowledgement is taken; may throw. */
  public synchronized void onAcknowledge(BiConsumer<String, List<Received>> watcher) {
    this.onAcknowledge = watcher;
  }

  /** Publishes each message once. */
  public synchronized void publish(Message... messages) {
    for (Message message : messages) {
      partition(message).add(numbered(message));
    }
    notifyAll();
  }

  /** Publishes one copy in each partition. */
  public synchronized void publishEverywhere(Message message) {
    Message numbered = numbered(message);
    partitions.forEach(partition -> partition.add(numbered));
    notifyAll();
  }

  /**
   * Publishes as a sender does that crashes now and then: each message, then some of the last ones
   * again.
   */
  public synchronized void publishRepeating(List<Message> messages) {
    for (Message message : messages) {
      List<Message> partition = partition(message);
      partition.add(numbered(message));
      while (random.nextInt(3) == 0) {
        int from = Math.max(0, partition.size() - 1 - random.nextInt(5));
        partition.addAll(List.copyOf(partition.subList(from, partition.size())));
      }
    }
    notifyAll();
  }

  /** How many were not acknowledged, copies included. */
  public synchronized int unacknowledged(String consumer) {
    return group(consumer).unacknowledged();
  }

  /** How many were handed out, repeatedly or not. */
  public synchronized long polled(String consumer) {
    return group(consumer).polled;
  }

  /** Deals out all partitions of this consumer anew, as after a feed came or went. */
  public synchronized void rebalance(String consumer) {
    group(consumer).deal(random);
    notifyAll();
  }

  // ---- Source ----

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public synchronized Feed open(String consumer) {
    MemoryFeed feed = new MemoryFeed(this, group(consumer), sender);
    group(consumer).join(feed, random);
    notifyAll();
    return feed;
  }

  @Override
  public List<Finding> check(String consumer) {
    return findings;
  }

  // ---- for feeds, which hold this monitor ----

  void maybeLose(MemoryGroup group) {
    if (random.nextDouble() < losses) {
      group.deal(random);
    }
  }

  void close(MemoryGroup group, MemoryFeed feed) {
    group.leave(feed, random);
    notifyAll();
  }

  void acknowledging(MemoryGroup group, List<Received> done) {
    BiConsumer<String, List<Received>> watcher;
    synchronized (this) {
      watcher = onAcknowledge;
    }
    if (watcher != null) {
      watcher.accept(group.consumer, done);
    }
  }

  private MemoryGroup group(String consumer) {
    return groups.computeIfAbsent(consumer, name -> new MemoryGroup(name, partitions));
  }

  private Message numbered(Message message) {
    return sequences ? message.withSequence(++sequence) : message;
  }

  private List<Message> partition(Message message) {
    Object key = message.key();
    int hash = key == null ? random.nextInt() : key.hashCode();
    return partitions.get(Math.floorMod(hash, partitions.size()));
  }
}
