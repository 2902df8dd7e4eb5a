package io.posthorn.console.message;

import io.posthorn.console.page.Badge;
import io.posthorn.core.message.MessageState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The states of a message with all destinations, each state once. */
public final class StateGroups {
  private static final int NAMED = 2;

  /** One badge for each state, the worst first, with the names or the number of destinations. */
  public List<Badge> of(Map<String, MessageState> states) {
    Map<MessageState, List<String>> by =
        new TreeMap<>(java.util.Comparator.comparingInt(StateGroups::rank));
    states.forEach((name, state) -> by.computeIfAbsent(state, none -> new ArrayList<>()).add(name));
    List<Badge> badges = new ArrayList<>();
    by.forEach(
        (state, names) -> {
          Badge badge = Badge.of(state);
          String where =
              names.size() <= NAMED && by.size() > 1
                  ? " " + String.join(", ", names)
                  : names.size() == 1 ? " " + names.get(0) : " to " + names.size();
          badges.add(
              new Badge(
                  badge.kind(),
                  badge.icon(),
                  (state == MessageState.FAILED ? "failed" : badge.text()) + where));
        });
    return badges;
  }

  private static int rank(MessageState state) {
    return List.of(
            MessageState.DEAD,
            MessageState.FAILED,
            MessageState.PENDING,
            MessageState.IN_FLIGHT,
            MessageState.DISCARDED,
            MessageState.SENT)
        .indexOf(state);
  }
}
