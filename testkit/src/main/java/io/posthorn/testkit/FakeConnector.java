package io.posthorn.testkit;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A connector that a test scripts: it answers at once, late, twice or never, fails by script,
 * blocks, and remembers what it got. Safe for use by many threads.
 */
public final class FakeConnector implements Connector {
  /** What becomes of one message. */
  public sealed interface Reply {
    /** Answered during {@code send}. */
    static Reply now(Outcome outcome) {
      return new Now(outcome, 1);
    }

    /** Answered during {@code send}, and again. */
    static Reply twice(Outcome outcome) {
      return new Now(outcome, 2);
    }

    /** Answered when {@link FakeConnector#answerLate} says so. */
    static Reply late(Outcome outcome) {
      return new Late(outcome);
    }

    /** No answer, ever. */
    static Reply never() {
      return new Never();
    }

    /** {@code send} itself fails; the messages after this one in the call are not answered. */
    static Reply thrown(Throwable failure) {
      return new Thrown(failure);
    }

    record Now(Outcome outcome, int times) implements Reply {}

    record Late(Outcome outcome) implements Reply {}

    record Never() implements Reply {}

    record Thrown(Throwable failure) implements Reply {}
  }

  private record Held(Answers answers, int index, Outcome outcome) {}

  private final List<Message> received = new ArrayList<>();
  private final List<Message> acknowledged = new ArrayList<>();
  private final List<List<Message>> calls = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private Function<Message, Reply> script = message -> Reply.now(Outcome.SENT);
  private Predicate<String> serves = type -> true;
  private CountDownLatch gate = new CountDownLatch(0);
  private Supplier<List<Finding>> check = List::of;
  private boolean closed;

  /** Answers every message with {@code sent}, until a script is set. */
  public static FakeConnector acking() {
    return new FakeConnector();
  }

  /** From now on the script decides about each message. */
  public synchronized FakeConnector reply(Function<Message, Reply> script) {
    this.script = script;
    return this;
  }

  /** From now on each message is answered at once, with the outcome of the script. */
  public FakeConnector outcome(Function<Message, Outcome> script) {
    return reply(message -> Reply.now(script.apply(message)));
  }

  /**
   * From now on a random part of the messages is answered with {@code sent}, and the rest never.
   */
  public FakeConnector ackSome(long seed, double part) {
    Random random = new Random(seed);
    return reply(
        message -> {
          synchronized (random) {
            return random.nextDouble() < part ? Reply.now(Outcome.SENT) : Reply.never();
          }
        });
  }

  /** From now on it has the code for these types only. */
  public synchronized FakeConnector serving(Predicate<String> types) {
    this.serves = types;
    return this;
  }

  /** From now on a check returns these findings. */
  public synchronized FakeConnector finding(Supplier<List<Finding>> findings) {
    this.check = findings;
    return this;
  }

  /** From now on {@code send} does not return before {@link #unblock}. */
  public synchronized FakeConnector block() {
    this.gate = new CountDownLatch(1);
    return this;
  }

  public synchronized void unblock() {
    gate.countDown();
  }

  /** Gives the answers that were held back; returns how many. */
  public int answerLate() {
    List<Held> due;
    synchronized (this) {
      due = List.copyOf(held);
      held.clear();
    }
    due.forEach(late -> late.answers.answer(late.index, late.outcome));
    return due.size();
  }

  /**
   * All messages that it received, in order; it adds those of a call before it answers any of them.
   */
  public synchronized List<Message> received() {
    return List.copyOf(received);
  }

  /** All messages that it has answered with {@code sent}, in order. */
  public synchronized List<Message> acknowledged() {
    return List.copyOf(acknowledged);
  }

  /** Forgets what it has received. */
  public synchronized void forget() {
    received.clear();
  }

  /** The messages of each call of {@code send}. */
  public synchronized List<List<Message>> calls() {
    return List.copyOf(calls);
  }

  public synchronized int waitingForAnswers() {
    return held.size();
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    Function<Message, Reply> now;
    CountDownLatch open;
    synchronized (this) {
      received.addAll(messages);
      calls.add(List.copyOf(messages));
      now = script;
      open = gate;
    }
    await(open);
    for (int i = 0; i < messages.size(); i++) {
      Reply reply = now.apply(messages.get(i));
      if (reply instanceof Reply.Now said && said.outcome() instanceof Outcome.Sent) {
        acknowledge(messages.get(i));
      }
      reply(reply, answers, i);
    }
  }

  private synchronized void acknowledge(Message message) {
    acknowledged.add(message);
  }

  private void reply(Reply reply, Answers answers, int index) {
    if (reply instanceof Reply.Now now) {
      for (int i = 0; i < now.times(); i++) {
        answers.answer(index, now.outcome());
      }
    } else if (reply instanceof Reply.Late late) {
      synchronized (this) {
        held.add(new Held(answers, index, late.outcome()));
      }
    } else if (reply instanceof Reply.Thrown thrown) {
      throw sneaky(thrown.failure());
    }
  }

  /** Throws the failure as it is, because a connector can throw checked exceptions, too. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> RuntimeException sneaky(Throwable failure) throws T {
    throw (T) failure;
  }

  private static void await(CountDownLatch open) {
    try {
      open.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public synchronized boolean serves(String type) {
    return serves.test(type);
  }

  @Override
  public List<Finding> check() {
    Supplier<List<Finding>> now;
    synchronized (this) {
      now = check;
    }
    return now.get();
  }

  @Override
  public synchronized void close() {
    closed = true;
    gate.countDown();
  }
}
