package io.posthorn.benchmarks;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.postgresql.PostgresqlStore;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The {@code rescue} benchmark: the effect of a bulk requeue on live traffic to the same
 * destination.
 */
@Command(
    name = "rescue",
    description = "Measure the latency of live traffic while very many dead letters are requeued.",
    mixinStandardHelpOptions = true)
final class RescueCommand implements Callable<Integer> {
  /** Dead letters have numbers from here on, live messages have lower ones. */
  private static final int FIRST_LETTER = 1_000_000_000;

  private static final int CHUNK = 50_000;

  private static final String DIE =
      """
      INSERT INTO posthorn_dead
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, reason, last_reason, error, fingerprint, attempts,
              first_failed_at, last_failed_at)
      SELECT 'bench', posthorn_uuid(), '%s', 1, 'order', 'key-' || n %% %d,
             convert_to(rpad('{"n":' || n || ',"text":"', %d, 'x') || '"}', 'UTF8'), 'application/json', '{}',
             clock_timestamp(), clock_timestamp(), n - %d, n - %d, 'RETRY_EXHAUSTED', 'HTTP_500', 'HTTP 500', 'cause',
             10, clock_timestamp(), clock_timestamp()
        FROM generate_series(%d, %d) AS n
      """;

  @Mixin private final Output output = new Output();

  @Option(
      names = "--letters",
      defaultValue = "1000000",
      description = "Number of dead letters; default: ${DEFAULT-VALUE}.")
  private int letters;

  @Option(
      names = "--rate",
      defaultValue = "5000",
      description = "Dead letters to requeue per second; default: ${DEFAULT-VALUE}.")
  private double rate;

  @Option(
      names = "--live-rate",
      defaultValue = "500",
      description = "Live transactions per second; default: ${DEFAULT-VALUE}.")
  private int liveRate;

  @Option(
      names = "--seconds",
      defaultValue = "30",
      description =
          "Seconds of live traffic before the requeue, and at least this long during it; default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--keys-in-step",
      description = "Live traffic uses the keys in the order of the dead letters.")
  private boolean inStep;

  private final AtomicLong rescued = new AtomicLong();
  private final AtomicReference<@Nullable Load> live = new AtomicReference<>();

  @Override
  public Integer call() {
    try (Server server = Server.vacuuming()) {
      Database database = server.database();
      Figures figures = new Figures().machine(server.machine(database));
      try (Application application = new Application(database, n -> {})) {
        application.relayInside(this::arrived);
        die(database);
        output.progress("live traffic alone, %,d per second".formatted(liveRate));
        Load before = traffic(database, application, seconds);
        output.progress(
            "requeuing %,d dead letters at %,.0f per second beside it".formatted(letters, rate));
        Operations operations = Operations.on(PostgresqlStore.on(database.dataSource()));
        long began = System.nanoTime();
        Operation started =
            operations.start(
                Plan.requeue(DeadLetterQuery.waiting()).withRate(rate),
                new Actor("bench", "bench"));
        Load during = traffic(database, application, Math.max(seconds, (int) (letters / rate)));
        output.progress(
            "%,d dead letters so far; p99 of live traffic %,.1f ms, before the requeue %,.1f ms"
                .formatted(
                    rescued.get(),
                    during.percentile(99, skipped()) / 1e3,
                    before.percentile(99, skipped()) / 1e3));
        Operation ended = await(operations, started);
        double took = (System.nanoTime() - began) / 1e9;
        report(figures, before, during, ended, took);
      }
      output.print(figures);
      return 0;
    }
  }

  private void die(Database database) {
    output.progress("writing %,d dead letters".formatted(letters));
    int end = FIRST_LETTER + letters - 1;
    for (int first = FIRST_LETTER; first <= end; first += CHUNK) {
      int last = Math.min(end, first + CHUNK - 1);
      database.execute(
          DIE.formatted(
              Backlog.TYPE,
              Backlog.KEYS,
              Backlog.PAYLOAD - 2,
              FIRST_LETTER,
              FIRST_LETTER,
              first,
              last));
    }
    database.execute("VACUUM (ANALYZE) posthorn_dead", "CHECKPOINT");
  }

  private void arrived(int n) {
    Load load = live.get();
    if (n >= FIRST_LETTER) {
      rescued.incrementAndGet();
    } else if (load != null) {
      load.arrived(n);
    }
  }

  private Load traffic(Database database, Application application, int duration) {
    Load load =
        inStep
            ? new Load(duration * liveRate, liveRate, n -> Writers.message(n, n % Backlog.KEYS))
            : new Load(duration * liveRate, liveRate);
    live.set(load);
    try {
      load.run(List.of(application));
    } catch (BenchException e) {
      throw new BenchException(e.getMessage() + ". " + MissingMessages.of(database, load), e);
    }
    return load;
  }

  private Operation await(Operations operations, Operation started) {
    long until = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
    while (true) {
      Operation now = operations.find(started.id()).orElseThrow();
      if (now.state() != Operation.State.RUNNING && now.underWay() == 0) {
        return now;
      }
      if (System.nanoTime() - until > 0) {
        throw new BenchException("the dead letters did not arrive within an hour: " + now);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
    }
  }

  /** Returns the number of messages that count as warm-up. */
  private int skipped() {
    return seconds * liveRate / 5;
  }

  private void report(Figures figures, Load before, Load during, Operation ended, double took) {
    int skipped = skipped();
    double alone = before.percentile(99, skipped);
    double beside = during.percentile(99, skipped);
    figures
        .add("letters", "dead letters", letters)
        .add("lost", "dead letters that did not arrive", (double) (ended.total() - ended.sent()))
        .add(
            "duplicates",
            "dead letters that arrived twice",
            (double) (rescued.get() - ended.sent()))
        .add("letters_per_second", "dead letters per second", ended.sent() / took)
        .add("p50_us_before", "live traffic before, p50 µs", before.percentile(50, skipped))
        .add("p99_us_before", "p99", alone)
        .add("p50_us_during", "live traffic during, p50 µs", during.percentile(50, skipped))
        .add("p99_us_during", "p99", beside)
        .add("p99_ratio", "p99 during, relative to before", beside / alone)
        .note(
            "%,d live transactions per second for %d s before the requeue and for its expected duration, to the same destination and keys."
                .formatted(liveRate, seconds));
  }
}
