package io.posthorn.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.PostgresqlStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** The JVM with the small heap: delivers the backlog, and checks what arrives. */
final class BacklogChild {
  /** The result that the child process reports on one line. */
  record Result(
      double perSecond,
      double lost,
      double duplicates,
      double reordered,
      double heapMb,
      double memoryMb) {
    private static final String WORD = "result ";

    String line() {
      return WORD
          + DoubleStream.of(perSecond, lost, duplicates, reordered, heapMb, memoryMb)
              .mapToObj(Double::toString)
              .collect(Collectors.joining(" "));
    }

    static boolean is(String line) {
      return line.startsWith(WORD);
    }

    static Result of(String line) {
      double[] parts =
          Arrays.stream(line.substring(WORD.length()).split(" "))
              .mapToDouble(Double::parseDouble)
              .toArray();
      return new Result(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]);
    }
  }

  private BacklogChild() {}

  /**
   * Arguments: the address of the database, the number of messages that wait, the time limit in
   * seconds.
   */
  public static void main(String[] args) throws IOException {
    int messages = Integer.parseInt(args[1]);
    ClaimWatch claims = new ClaimWatch();
    ArrivalCounter arrivals = new ArrivalCounter();
    CheckingReceiver receiver = new CheckingReceiver(messages);
    arrivals.expect(messages);
    try (HikariDataSource pool = Server.pool(Database.at(args[0]), 5);
        Relay relay =
            Relay.on(claims.watch(PostgresqlStore.on(pool)), "bench", "bench")
                .destination(Destination.named("bench", receiver).types(Backlog.TYPE).build())
                .observer(arrivals)
                .build()) {
      relay.start();
      long ended = arrivals.awaitAll(Duration.ofSeconds(Long.parseLong(args[2])));
      double perSecond = messages / ((ended - claims.began()) / 1e9);
      System.out.println(receiver.result(perSecond, peakMemoryMb()).line());
    }
  }

  /** Returns the peak memory of the whole process, not only of its heap. */
  private static double peakMemoryMb() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) {
        return Double.parseDouble(line.replaceAll("\\D", "")) / 1024;
      }
    }
    return 0;
  }
}
