package io.posthorn.testkit;

import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** One feed of a {@link MemorySource}. */
final class MemoryFeed implements Feed {
  private final MemorySource source;
  private final MemoryGroup group;
  private final String sender;
  private int next;

  MemoryFeed(MemorySource source, MemoryGroup group, String sender) {
    this.source = source;
    this.group = group;
    this.sender = sender;
  }

  private record Place(MemoryGroup.Share share, int epoch, int offset) {}

  @Override
  public List<Received> poll(int most, Duration wait) throws InterruptedException {
    long until = System.nanoTime() + wait.toNanos();
    synchronized (source) {
      source.maybeLose(group);
      List<Received> found = take(most);
      for (long left = wait.toNanos();
          found.isEmpty() && left > 0;
          left = until - System.nanoTime()) {
        source.wait(Math.max(1, left / 1_000_000));
        found = take(most);
      }
      return found;
    }
  }

  private List<Received> take(int most) {
    List<Received> found = new ArrayList<>();
    for (int i = 0; i < group.shares.size() && found.size() < most; i++) {
      MemoryGroup.Share share = group.shares.get(Math.floorMod(next++, group.shares.size()));
      while (share.owner == this && share.position < share.messages.size() && found.size() < most) {
        int offset = share.position++;
        boolean redelivered = offset < share.highest;
        share.highest = Math.max(share.highest, offset + 1);
        found.add(
            new Received(
                sender,
                share.messages.get(offset),
                redelivered,
                new Place(share, share.epoch, offset)));
      }
    }
    group.polled += found.size();
    return found;
  }

  @Override
  public void acknowledge(List<Received> done) {
    source.acknowledging(group, done);
    synchronized (source) {
      for (Received received : done) {
        if (isMine(received)) {
          Place place = (Place) Objects.requireNonNull(received.place());
          place.share.acknowledge(place.offset);
        }
      }
    }
  }

  @Override
  public List<Received> keep(List<Received> inHand, Duration pause) throws InterruptedException {
    Thread.sleep(pause.toMillis());
    synchronized (source) {
      source.maybeLose(group);
      return inHand.stream().filter(this::isMine).toList();
    }
  }

  @Override
  public void close() {
    synchronized (source) {
      source.close(group, this);
    }
  }

  private boolean isMine(Received received) {
    return received.place() instanceof Place place && place.share.belongs(this, place.epoch);
  }
}
