package io.posthorn.spring.handler;

import io.posthorn.core.bus.Mode;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.AfterDead;
import io.posthorn.spring.MessageHandler;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.transaction.annotation.Isolation;

/** The settings of one consumer, combined from the annotations of all its methods. */
record ConsumerSettings(
    String source,
    Mode mode,
    boolean latestWins,
    boolean idempotent,
    int batch,
    RetryPolicy retry,
    Set<Class<? extends Throwable>> neverRetried,
    AfterDead afterDead,
    Isolation isolation) {

  static ConsumerSettings of(List<HandlerMethod> methods, List<String> problems) {
    Agreement agreement = new Agreement(methods, problems);
    int batch = agreement.on("batch", MessageHandler::batch, 0);
    int attempts = agreement.on("attempts", MessageHandler::attempts, 0);
    if (batch < 0 || attempts < 0) {
      problems.add(methods.get(0) + " has a batch or attempts below 1: set at least 1");
    }
    Isolation isolation = agreement.on("isolation", MessageHandler::isolation, Isolation.DEFAULT);
    if (isolation == Isolation.READ_UNCOMMITTED) {
      problems.add(
          methods.get(0)
              + " has the isolation READ_UNCOMMITTED, which PostgreSQL does not have: set READ_COMMITTED");
    }
    RetryPolicy usual = RetryPolicy.DEFAULT;
    return new ConsumerSettings(
        agreement.on("source", MessageHandler::source, ""),
        agreement.on("mode", MessageHandler::mode, Mode.DIRECT),
        agreement.on("latestWins", MessageHandler::latestWins, false),
        agreement.on("idempotent", MessageHandler::idempotent, false),
        batch,
        new RetryPolicy(
            agreement.duration("backoff", MessageHandler::backoff, usual.backoff()),
            agreement.duration(
                "longestBackoff", MessageHandler::longestBackoff, usual.longestBackoff()),
            usual.jitter(),
            attempts == 0 ? usual.attempts() : attempts,
            agreement.duration("timeLimit", MessageHandler::timeLimit, usual.timeLimit())),
        methods.stream()
            .flatMap(method -> Arrays.stream(method.annotation().neverRetried()))
            .collect(Collectors.toCollection(LinkedHashSet::new)),
        agreement.on("afterDead", MessageHandler::afterDead, AfterDead.CONTINUE),
        isolation);
  }

  /** Applies everything except the source and the exceptions that are never retried. */
  void applyTo(Subscription subscription) {
    subscription.mode(mode).retry(retry).afterDead(afterDead);
    if (latestWins) {
      subscription.latestWins();
    }
    if (idempotent) {
      subscription.idempotent();
    }
    if (isolation != Isolation.DEFAULT && isolation != Isolation.READ_UNCOMMITTED) {
      subscription.isolation(io.posthorn.core.bus.Isolation.valueOf(isolation.name()));
    }
    if (batch > 0) {
      subscription.batch(batch);
    }
  }

  /** Combines the annotations: a setting on one method holds for all; two values are a problem. */
  private record Agreement(List<HandlerMethod> methods, List<String> problems) {
    <T> T on(String name, Function<MessageHandler, T> setting, T unset) {
      HandlerMethod first = null;
      for (HandlerMethod method : methods) {
        T said = setting.apply(method.annotation());
        if (said.equals(unset)) {
          continue;
        }
        if (first == null) {
          first = method;
        } else if (!setting.apply(first.annotation()).equals(said)) {
          problems.add(
              "consumer '%s' has two values of %s: %s says %s, %s says %s; keep one"
                  .formatted(
                      method.consumer(),
                      name,
                      first,
                      setting.apply(first.annotation()),
                      method,
                      said));
        }
      }
      return first == null ? unset : setting.apply(first.annotation());
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
            "consumer '%s' has the %s '%s', which is not a duration: write it like 500ms or 10s"
                .formatted(methods.get(0).consumer(), name, said));
        return usual;
      }
    }
  }
}
