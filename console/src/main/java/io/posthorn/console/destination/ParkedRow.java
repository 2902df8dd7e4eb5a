package io.posthorn.console.destination;

import io.posthorn.api.mask.PayloadView;
import io.posthorn.console.page.Badge;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Step;
import io.posthorn.console.text.Words;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.store.Waiting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A parked message as a row.
 *
 * @param error the last error, as the viewer may see it
 * @param behind how many messages wait behind it
 */
public record ParkedRow(
    ParkedMessage message, Badge badge, @Nullable String error, String behind, List<Step> steps) {
  static ParkedRow of(String destination, ParkedMessage message, PayloadView view, Links links) {
    return new ParkedRow(
        message,
        badge(message),
        view.error(message.lastError(), message.type()),
        Words.counted(message.behind(), ParkedMessage.MOST_BEHIND),
        steps(destination, message, links));
  }

  private static Badge badge(ParkedMessage message) {
    if (message.keyPaused()) {
      return new Badge("waiting", "paused", "a person: key paused");
    }
    if (message.held()) {
      return new Badge("dead", "dead", "a person: key held");
    }
    return switch (message.waiting()) {
      case RETRY -> new Badge("trouble", "retry", "its next attempt");
      case TURN, BEHIND -> new Badge("waiting", "waiting", "its turn");
      case TIME -> new Badge("waiting", "waiting", "its time");
      case CODE -> new Badge("trouble", "trouble", "a relay with its code");
      case ROUTE -> new Badge("trouble", "trouble", "a route");
      case PAUSED -> new Badge("waiting", "paused", "a person: type paused");
      case ANSWER -> new Badge("waiting", "flight", "a slow answer");
    };
  }

  private static List<Step> steps(String destination, ParkedMessage message, Links links) {
    List<Step> steps = new ArrayList<>();
    Key key = message.key();
    Map<String, Object> of = new HashMap<>();
    of.put("destination", destination);
    if (key != null) {
      of.put("key", key);
    }
    if (message.held()) {
      steps.add(Step.act("Release the key", links.act("release", of)));
    } else if (message.waiting() == Waiting.RETRY) {
      steps.add(Step.act("Retry now", links.act("retry", of)));
    }
    of.put("message", message.messageId());
    if (message.waiting() == Waiting.TIME) {
      steps.add(Step.act("Reschedule", links.act("reschedule", of)));
    }
    steps.add(Step.act("Skip", links.act("skip", of)));
    return steps;
  }
}
