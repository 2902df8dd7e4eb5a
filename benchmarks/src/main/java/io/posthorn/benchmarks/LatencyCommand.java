package io.posthorn.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code latency} benchmark: the time from a commit until the receiver is called. */
@Command(
    name = "latency",
    description = "Measure how long a message takes from its commit to its receiver.",
    mixinStandardHelpOptions = true)
final class LatencyCommand implements Callable<Integer> {
  @Mixin private final Output output = new Output();

  @Option(
      names = "--messages",
      defaultValue = "5000",
      description = "Messages in each round, for each way of delivery; default: ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--rate",
      defaultValue = "500",
      description = "Transactions per second; default: ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Number of rounds, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int rounds;

  /** The measurements of one way of delivery. */
  private static final class Way {
    final Series p50 = new Series();
    final Series p99 = new Series();
    final Series transaction = new Series();
  }

  @Override
  public Integer call() {
    Way inside = new Way();
    Way three = new Way();
    Way beside = new Way();
    Way handOff = new Way();
    try (Server server = new Server()) {
      Figures figures = new Figures().machine(server.machine(server.database()));
      for (int round = 1; round <= rounds; round++) {
        output.progress(
            "round %d of %d: four times %,d messages, %,d per second"
                .formatted(round, rounds, messages, rate));
        inside(server, inside, 1);
        inside(server, three, 3);
        beside(server, beside);
        handOff(server, handOff);
      }
      report(figures, inside, three, beside, handOff);
      output.print(figures);
      return 0;
    }
  }

  /**
   * Every instance has a relay inside. One of these relays delivers the messages of all instances.
   */
  private void inside(Server server, Way way, int instances) {
    Database database = server.database();
    Load load = load();
    List<Application> applications = new ArrayList<>();
    try {
      for (int i = 0; i < instances; i++) {
        Application application = new Application(database, n -> {});
        applications.add(application);
        application.relayInside(load::arrived);
      }
      run(load, applications, way);
    } finally {
      applications.forEach(Application::close);
    }
  }

  private void beside(Server server, Way way) {
    Database database = server.database();
    Load load = load();
    try (Application relay = new Application(database, n -> {});
        Application writer = new Application(database, n -> {})) {
      relay.relayBeside(load::arrived);
      run(load, List.of(writer), way);
    }
  }

  /** Hands messages over in memory. A crash loses them. */
  private void handOff(Server server, Way way) {
    Load load = load();
    BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
    Thread receiver = new Thread(() -> receive(queue, load::arrived), "bench-receiver");
    receiver.start();
    try (Application application = new Application(server.database(), queue::add)) {
      run(load, List.of(application), way);
    } finally {
      receiver.interrupt();
    }
  }

  private static void receive(BlockingQueue<Integer> queue, IntConsumer receiver) {
    try {
      while (true) {
        receiver.accept(queue.take());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Creates a load whose first fifth is warm-up. */
  private Load load() {
    return new Load(messages + messages / 5, rate);
  }

  private void run(Load load, List<Application> applications, Way way) {
    load.run(applications);
    way.p50.add(load.percentile(50, messages / 5));
    way.p99.add(load.percentile(99, messages / 5));
    way.transaction.add(load.transactionPercentile(50, messages / 5));
  }

  private void report(Figures figures, Way inside, Way three, Way beside, Way handOff) {
    figures
        .add("p50_us", "relay in the application, p50 µs", inside.p50.median(), Goal.atMost(1_500))
        .add("p99_us", "p99", inside.p99.median())
        .add("p50_us_three", "three applications, each with a relay, p50 µs", three.p50.median())
        .add("p99_us_three", "p99", three.p99.median())
        .add("p50_us_standalone", "separate relay that polls, p50 µs", beside.p50.median())
        .add("p99_us_standalone", "p99", beside.p99.median())
        .add("p50_us_handoff", "only handed over in memory, p50 µs", handOff.p50.median())
        .add("p99_us_handoff", "p99", handOff.p99.median())
        .add(
            "p50_us_transaction",
            "the transaction itself, without a relay, p50 µs",
            handOff.transaction.median())
        .note("rounds, p50: inside " + inside.p50 + "; three " + three.p50)
        .note("rounds, p50: standalone " + beside.p50 + "; hand-off " + handOff.p50)
        .note("rounds, p99: inside " + inside.p99 + "; three " + three.p99)
        .note("rounds, p99: standalone " + beside.p99 + "; hand-off " + handOff.p99)
        .note(
            "%,d transactions per second with one message each, on a fixed schedule. Measured from the return of commit to the receiver."
                .formatted(rate))
        .note("All instances are in one JVM, each with its own pool, outbox and relay.");
  }
}
