package io.posthorn.core.connector;

import io.posthorn.core.error.Causes;
import io.posthorn.core.error.Sanitiser;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what a handler or a client threw into an outcome. Your own rules come first, in the order
 * they were added; the first that matches decides.
 */
public final class Classifier {
  /**
   * Knows {@link RejectedException}, network errors and timeouts; the rest is UNKNOWN, and retried
   * as a fault of the message.
   */
  public static final Classifier DEFAULT = new Classifier(List.of());

  private static final Logger LOG = LoggerFactory.getLogger(Classifier.class);

  private record Rule(Class<? extends Throwable> type, Function<Throwable, Outcome> outcome) {}

  private final List<Rule> rules;

  private Classifier(List<Rule> rules) {
    this.rules = rules;
  }

  /**
   * Adds a rule: this exception, anywhere in the chain of causes, has this outcome. A rule that
   * throws leaves the failure UNKNOWN.
   */
  public <T extends Throwable> Classifier when(Class<T> type, Function<T, Outcome> outcome) {
    List<Rule> more = new ArrayList<>(rules);
    more.add(new Rule(type, cause -> outcome.apply(type.cast(cause))));
    return new Classifier(List.copyOf(more));
  }

  public Outcome classify(Throwable thrown) {
    List<Throwable> causes = Causes.of(thrown);
    for (Rule rule : rules) {
      for (Throwable cause : causes) {
        if (rule.type.isInstance(cause)) {
          return decided(rule, cause, thrown);
        }
      }
    }
    for (Throwable cause : causes) {
      if (cause instanceof RejectedException rejected) {
        return Outcome.rejected(new Reason(rejected.reasonCode(), Sanitiser.text(rejected), null));
      }
      if (cause instanceof java.util.concurrent.TimeoutException
          || cause instanceof java.net.SocketTimeoutException) {
        return Outcome.failed(Reason.of(Reason.TIMEOUT, thrown));
      }
      if (cause instanceof java.net.SocketException
          || cause instanceof java.net.UnknownHostException) {
        return Outcome.failed(Reason.of(Reason.TRANSIENT_NETWORK, thrown));
      }
    }
    return Outcome.failedByMessage(Reason.of(Reason.UNKNOWN, thrown));
  }

  // A rule that fails itself, or says nothing, has not decided: what was thrown counts as unknown.
  private static Outcome decided(Rule rule, Throwable cause, Throwable thrown) {
    try {
      Outcome outcome = rule.outcome.apply(cause);
      if (outcome != null) {
        return outcome;
      }
      LOG.warn("The rule for {} returned no outcome", rule.type.getName());
    } catch (RuntimeException | Error e) {
      LOG.warn("The rule for {} failed", rule.type.getName(), Sanitiser.clean(e));
    }
    return Outcome.failedByMessage(Reason.of(Reason.UNKNOWN, thrown));
  }
}
