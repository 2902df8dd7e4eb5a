package io.posthorn.spring.handler;

import io.posthorn.core.bus.Mode;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.source.Source;
import io.posthorn.spring.MessageHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.springframework.boot.convert.DurationStyle;

/** What the methods of one consumer say of it, together. */
record ConsumerSettings(
    String source, Mode mode, boolean latestWins, int batch, RetryPolicy retry) {

  static ConsumerSettings of(List<HandlerMethod> methods, List<String> problems) {
    Agreement agreed = new Agreement(methods, problems);
    int batch = agreed.on("batch", MessageHandler::batch, 0);
    int attempts = agreed.on("attempts", MessageHandler::attempts, 0);
    if (batch < 0 || attempts < 0) {
      problems.add(methods.get(0) + " has a batch or attempts below 1: at least 1 is needed");
    }
    RetryPolicy usual = RetryPolicy.DEFAULT;
    return new ConsumerSettings(
        agreed.on("source", MessageHandler::source, ""),
        agreed.on("mode", MessageHandler::mode, Mode.DIRECT),
        agreed.on("latestWins", MessageHandler::latestWins, false),
        batch,
        usual
            .backoff(
                agreed.duration("backoff", MessageHandler::backoff, usual.backoff()),
                agreed.duration(
                    "longestBackoff", MessageHandler::longestBackoff, usual.longestBackoff()))
            .attempts(attempts == 0 ? usual.attempts() : attempts));
  }

  void applyTo(Subscription subscription, Map<String, Source> sources) {
    subscription.mode(mode).retry(retry);
    if (latestWins) {
      subscription.latestWins();
    }
    if (batch > 0) {
      subscription.batch(batch);
    }
    if (!source.isEmpty()) {
      subscription.from(Objects.requireNonNull(sources.get(source), source));
    }
  }

  /** One may say it for all; two may not say different things. */
  private record Agreement(List<HandlerMethod> methods, List<String> problems) {
    <T> T on(String name, Function<MessageHandler, T> setting, T unsaid) {
      HandlerMethod first = null;
      for (HandlerMethod method : methods) {
        T said = setting.apply(method.says());
        if (said.equals(unsaid)) {
          continue;
        }
        if (first == null) {
          first = method;
        } else if (!setting.apply(first.says()).equals(said)) {
          problems.add(
              "consumer '%s' has two values of %s: %s says %s, %s says %s; decide"
                  .formatted(
                      method.consumer(), name, first, setting.apply(first.says()), method, said));
        }
      }
      return first == null ? unsaid : setting.apply(first.says());
    }

    Duration duration(String name, Function<MessageHandler, String> setting, Duration usual) {
      String said = on(name, setting, "");
      if (said.isEmpty()) {
        return usual;
      }
      try {
        return DurationStyle.detectAndParse(said);
      } catch (IllegalArgumentException e) {
        problems.add(
            "consumer '%s' has the %s '%s', which is no duration: write it like 500ms or 10s"
                .formatted(methods.get(0).consumer(), name, said));
        return usual;
      }
    }
  }
}
