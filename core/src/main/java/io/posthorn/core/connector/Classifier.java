package io.posthorn.core.connector;

import io.posthorn.core.error.Causes;
import io.posthorn.core.error.Sanitiser;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.ObjectStreamException;
import java.io.UTFDataFormatException;
import java.nio.charset.CharacterCodingException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.zip.ZipException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts an exception of a handler or a client to an {@link Outcome}. Your own rules come first,
 * in the order in which you added them, and the first match decides.
 */
public final class Classifier {
  /**
   * Knows {@link RejectedException}, timeouts, and errors of networks, files and databases, for
   * which the destination may be at fault. For any other exception the reason is the name of its
   * class, and the message is retried and counts as the one at fault.
   */
  public static final Classifier DEFAULT = new Classifier(List.of());

  private static final Logger LOG = LoggerFactory.getLogger(Classifier.class);

  /** The class of SQLSTATEs for lost connections, in the SQL standard. */
  private static final String CONNECTION = "08";

  private record Rule(Class<? extends Throwable> type, Function<Throwable, Outcome> outcome) {}

  private final List<Rule> rules;

  private Classifier(List<Rule> rules) {
    this.rules = rules;
  }

  /**
   * Adds the SQLSTATEs of a database, for all classifiers from now on. Those of the same class are
   * added once.
   */
  public static void add(SqlStates states) {
    KnownSqlStates.add(states);
  }

  /**
   * Returns a classifier with one more rule: an exception of this type, anywhere in the chain of
   * causes, has this outcome. If the rule itself throws or returns null, it does not count.
   */
  public <T extends Throwable> Classifier when(Class<T> type, Function<T, Outcome> outcome) {
    List<Rule> more = new ArrayList<>(rules);
    more.add(new Rule(type, cause -> outcome.apply(type.cast(cause))));
    return new Classifier(List.copyOf(more));
  }

  /**
   * Returns a classifier that never retries these exceptions and their subclasses, whatever its
   * other rules say. The message becomes a dead letter at once; the reason is the name of the
   * exception's class.
   */
  public Classifier rejecting(Collection<Class<? extends Throwable>> types) {
    List<Rule> more = new ArrayList<>();
    for (Class<? extends Throwable> type : types) {
      more.add(new Rule(type, cause -> Outcome.rejected(Reason.of(Reason.nameOf(cause), cause))));
    }
    more.addAll(rules);
    return new Classifier(List.copyOf(more));
  }

  /** The outcome of an attempt that ended with this exception. */
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
      if (isTimeout(cause)) {
        return Outcome.failed(Reason.of(Reason.TIMEOUT, thrown));
      }
      if (mayBeTheDestination(cause)) {
        return Outcome.failed(Reason.of(Reason.TRANSIENT_NETWORK, thrown));
      }
    }
    return byMessage(thrown);
  }

  private static Outcome byMessage(Throwable thrown) {
    return Outcome.failedByMessage(Reason.of(Reason.nameOf(thrown), thrown));
  }

  private static boolean isTimeout(Throwable cause) {
    // By name, because a program may run without the module of HttpTimeoutException.
    return cause instanceof java.util.concurrent.TimeoutException
        || cause instanceof InterruptedIOException
        || (cause instanceof IOException && cause.getClass().getName().endsWith("TimeoutException"))
        || cause instanceof SQLTimeoutException
        || (cause instanceof SQLException sql
            && KnownSqlStates.any(states -> states.isTimeout(state(sql))));
  }

  private static boolean mayBeTheDestination(Throwable cause) {
    if (cause instanceof SQLException sql) {
      return sql instanceof SQLTransientException
          || sql instanceof SQLRecoverableException
          || state(sql).startsWith(CONNECTION)
          || KnownSqlStates.any(states -> states.isAway(state(sql)));
    }
    return cause instanceof IOException && !isAboutContent(cause);
  }

  private static String state(SQLException error) {
    return String.valueOf(error.getSQLState());
  }

  /** Returns whether data could not be read or written; no receiver takes part in that. */
  private static boolean isAboutContent(Throwable cause) {
    return cause instanceof CharacterCodingException
        || cause instanceof UTFDataFormatException
        || cause instanceof ObjectStreamException
        || cause instanceof ZipException
        || cause.getClass().getName().startsWith("com.fasterxml.jackson.");
  }

  // A rule that throws or returns null has not decided, so the failure counts as any other.
  private static Outcome decided(Rule rule, Throwable cause, Throwable thrown) {
    try {
      Outcome outcome = rule.outcome.apply(cause);
      if (outcome != null) {
        return outcome;
      }
      LOG.warn(
          "The classifier rule for {} returned no outcome, so the failure is UNKNOWN and the message's fault",
          rule.type.getName());
    } catch (RuntimeException | Error e) {
      LOG.warn(
          "The classifier rule for {} failed, so the failure is UNKNOWN and the message's fault",
          rule.type.getName(),
          Sanitiser.clean(e));
    }
    return byMessage(thrown);
  }
}
