package io.posthorn.testkit;

import io.posthorn.core.message.Message;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The positions of one consumer of a {@link MemorySource}, and which of its feeds reads which
 * partition.
 */
final class MemoryGroup {
  final String consumer;
  final List<Share> shares = new ArrayList<>();
  long polled;
  private final List<MemoryFeed> feeds = new ArrayList<>();

  MemoryGroup(String consumer, List<List<Message>> partitions) {
    this.consumer = consumer;
    partitions.forEach(messages -> shares.add(new Share(messages)));
  }

  /** One partition as the consumer sees it. */
  static final class Share {
    final List<Message> messages;
    private final BitSet acknowledged = new BitSet();
    @Nullable MemoryFeed owner;
    int epoch;
    int position;
    int highest;

    Share(List<Message> messages) {
      this.messages = messages;
    }

    boolean belongs(MemoryFeed feed, int since) {
      return owner == feed && epoch == since;
    }

    void acknowledge(int offset) {
      acknowledged.set(offset);
    }
  }

  void join(MemoryFeed feed, Random random) {
    feeds.add(feed);
    deal(random);
  }

  void leave(MemoryFeed feed, Random random) {
    feeds.remove(feed);
    deal(random);
  }

  /**
   * Gives all feeds the same number of partitions, one more or less. The feed that gets a partition
   * begins with the first message that was not acknowledged.
   */
  void deal(Random random) {
    int first = random.nextInt(shares.size());
    for (int i = 0; i < shares.size(); i++) {
      Share share = shares.get(i);
      share.owner = feeds.isEmpty() ? null : feeds.get((first + i) % feeds.size());
      share.epoch++;
      share.position = share.acknowledged.nextClearBit(0);
    }
  }

  int unacknowledged() {
    return shares.stream()
        .mapToInt(share -> share.messages.size() - share.acknowledged.cardinality())
        .sum();
  }
}
