package io.posthorn.core.relay;

import io.posthorn.core.store.Members;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Serving;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Which lanes a relay should take and which give back, given who is alive. Each relay decides for
 * itself from the same rows; that two want the same lane is settled by the database.
 *
 * <p>A relay takes no more than its fair share, unless nobody else comes for a lane. It leaves a
 * lane to another that has code for all of its routes if it lacks some itself: in a rolling deploy
 * the new version takes over what the old one cannot serve. Unless that one does not come for it.
 */
final class Sharing {
  private final UUID self;
  private final Members members;
  private final Predicate<String> avoided;
  private final Predicate<String> forsaken;

  /**
   * @param avoided destinations that this relay should leave to any other
   * @param forsaken destinations that no better relay came for
   */
  Sharing(UUID self, Members members, Predicate<String> avoided, Predicate<String> forsaken) {
    this.self = self;
    this.members = members;
    this.avoided = avoided;
    this.forsaken = forsaken;
  }

  /** The lanes to take now. */
  List<Members.Holding> toTake(Set<String> freeBefore) {
    long held = held(self);
    List<Members.Holding> take = new ArrayList<>();
    for (Members.Holding lane : members.lanes()) {
      if (!lane.free() || !serves(self, lane.destination()) || yields(lane.destination())) {
        continue;
      }
      if (held < fairShare() || freeBefore.contains(lane.destination())) {
        take.add(lane);
        held++;
      }
    }
    return take;
  }

  /** The lanes to give back: one at a time for fairness, all that another serves better. */
  List<String> toGiveBack() {
    List<String> give = new ArrayList<>();
    List<String> mine = new ArrayList<>();
    for (Members.Holding lane : members.lanes()) {
      if (self.equals(lane.holder())) {
        (yields(lane.destination()) ? give : mine).add(lane.destination());
      }
    }
    if (give.isEmpty() && mine.size() > fairShare()) {
      mine.stream().filter(this::wantedByAnother).findFirst().ifPresent(give::add);
    }
    return give;
  }

  /** Another live relay should have it rather than this one. */
  private boolean yields(String destination) {
    Serving routes = members.routesTo(destination);
    boolean lacks = !member(self).servesAll(routes) && !forsaken.test(destination);
    return members.relays().stream()
        .filter(other -> !other.id().equals(self) && other.serves(destination))
        .anyMatch(other -> avoided.test(destination) || (lacks && other.servesAll(routes)));
  }

  private boolean wantedByAnother(String destination) {
    return members.relays().stream()
        .filter(other -> !other.id().equals(self) && other.serves(destination))
        .filter(other -> other.servesAll(members.routesTo(destination)))
        .anyMatch(other -> held(other.id()) + 1 < held(self));
  }

  private long fairShare() {
    Map<UUID, Long> served = new HashMap<>();
    long lanes = 0;
    for (Members.Holding lane : members.lanes()) {
      if (serves(self, lane.destination())) {
        lanes++;
        for (Members.Member member : members.relays()) {
          if (member.serves(lane.destination())) {
            served.merge(member.id(), 1L, Long::sum);
          }
        }
      }
    }
    int sharers = Math.max(1, served.size());
    return (lanes + sharers - 1) / sharers;
  }

  private long held(UUID relay) {
    return members.lanes().stream()
        .filter(lane -> relay.equals(lane.holder()) && serves(self, lane.destination()))
        .count();
  }

  private boolean serves(UUID relay, String destination) {
    return destination.equals(RelayStore.UNROUTED) || member(relay).serves(destination);
  }

  private Members.Member member(UUID relay) {
    return members.relays().stream()
        .filter(member -> member.id().equals(relay))
        .findFirst()
        .orElseGet(() -> new Members.Member(relay, List.of()));
  }
}
