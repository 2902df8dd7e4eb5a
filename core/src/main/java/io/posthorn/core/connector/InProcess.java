package io.posthorn.core.connector;

import io.posthorn.core.message.Message;
import io.posthorn.core.trace.HandlerFailureLog;
import io.posthorn.core.trace.HandlerScope;
import io.posthorn.core.trace.SafeTracing;
import io.posthorn.core.trace.Tracing;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ThreadFactory;
import org.slf4j.event.Level;

/**
 * A destination inside this program: one handler per type. Messages of different keys are handled
 * in parallel, up to the number of threads; messages of one key are handled one after the other.
 *
 * <p>A handler that takes longer than the destination's send timeout counts as failed, although it
 * may still be running. Set the timeout to what your slowest handler needs.
 */
public final class InProcess implements Connector {
  /** The name in traces and logs before a relay has told the destination's. */
  private static final String NAME = "in-process";

  private final Map<String, Handler> handlers;
  private final Classifier classifier;
  private final Tracing tracing;
  private final int most;
  private final HandlerThreads threads;
  private final Set<String> destinations = new ConcurrentSkipListSet<>();
  private final HandlerFailureLog failures = new HandlerFailureLog();
  private volatile String name = NAME;

  private InProcess(Builder builder) {
    this.handlers = Map.copyOf(builder.handlers);
    this.classifier = builder.classifier;
    this.tracing = SafeTracing.of(builder.tracing);
    this.most = builder.threads;
    this.threads = new HandlerThreads("posthorn-handler", builder.threads, builder.factory);
  }

  /** Starts a destination; add its handlers with {@link Builder#on}. */
  public static Builder handlers() {
    return new Builder();
  }

  @Override
  public synchronized void serving(String destination) {
    destinations.add(destination);
    name = String.join(", ", destinations);
  }

  @Override
  public boolean serves(String type) {
    return handlers.containsKey(type);
  }

  /**
   * One message per thread. A message that waited for a thread would use up its timeout, and a stop
   * would not wait for it.
   */
  @Override
  public int maxInFlight() {
    return most;
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    send(messages, Collections.nCopies(messages.size(), 1), answers);
  }

  @Override
  public void send(List<Message> messages, List<Integer> attempts, Answers answers) {
    for (int i = 0; i < messages.size(); i++) {
      int index = i;
      Message message = messages.get(i);
      int attempt = attempts.get(i);
      if (!threads.run(() -> answers.answer(index, followed(message, attempt)))) {
        answers.answer(index, HandlerThreads.CLOSED);
      }
    }
  }

  private Outcome followed(Message message, int attempt) {
    try (HandlerScope scope = HandlerScope.open(tracing, name, message, attempt)) {
      Outcome outcome = handle(message, attempt);
      Reason reason = outcome.reason();
      if (reason == null) {
        scope.succeeded();
      } else {
        scope.failed(reason.code());
      }
      return outcome;
    }
  }

  private Outcome handle(Message message, int attempt) {
    Handler handler = handlers.get(message.type());
    if (handler == null) {
      return Outcome.unavailable(
          Reason.of(Reason.UNSERVED, "no handler for type '" + message.type() + "'"));
    }
    try {
      handler.handle(message);
      return Outcome.SENT;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Outcome.unavailable(Reason.of(Reason.UNSERVED, "the handler was interrupted"));
    } catch (Throwable e) {
      Outcome outcome = classifier.classify(e);
      Reason reason = outcome.reason();
      if (reason != null) {
        Level level = outcome instanceof Outcome.Unavailable ? Level.DEBUG : Level.WARN;
        failures.log(level, name, message, attempt, reason.code(), e);
      }
      return outcome;
    }
  }

  @Override
  public List<Finding> check() {
    return HandlerThreads.check();
  }

  @Override
  public void close() {
    threads.close();
  }

  /** Configures a destination inside this program. */
  public static final class Builder {
    private final Map<String, Handler> handlers = new HashMap<>();
    private Classifier classifier = Classifier.DEFAULT;
    private Tracing tracing = Tracing.NONE;
    private int threads = 16;
    private ThreadFactory factory = Thread::new;

    private Builder() {}

    /** Adds the handler of this type. At least one handler is needed. */
    public Builder on(String type, Handler handler) {
      handlers.put(type, handler);
      return this;
    }

    /** Decides what exceptions of handlers mean; default: {@link Classifier#DEFAULT}. */
    public Builder classifier(Classifier classifier) {
      this.classifier = classifier;
      return this;
    }

    /** Runs each handler in the trace of its message; default: no tracing. */
    public Builder tracing(Tracing tracing) {
      this.tracing = tracing;
      return this;
    }

    /** The most handlers that run at once; default: 16. */
    public Builder threads(int count) {
      this.threads = count;
      return this;
    }

    /** Creates the threads, for example virtual ones; default: platform threads. */
    public Builder threads(ThreadFactory factory) {
      this.factory = factory;
      return this;
    }

    /** Builds the connector, and creates its pool of threads. */
    public InProcess build() {
      return new InProcess(this);
    }
  }
}
