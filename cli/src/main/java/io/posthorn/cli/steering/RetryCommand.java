package io.posthorn.cli.steering;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Reason;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.message.Key;
import io.posthorn.core.steering.Steering;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Try what waits for its next attempt at once. */
@Command(name = "retry", description = "Try what waits for its next attempt at once.")
final class RetryCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Reason reason = new Reason();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Its name.")
  private String destination = "";

  @Option(names = "--key", paramLabel = "TYPE/ID", description = "Of this key; default: all.")
  private String key = "";

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    Key one = key.isEmpty() ? null : Keys.parse(key);
    int done = steering.retryNow(destination, one, reason.by());
    answer.value(Map.of("done", done));
    answer.say("%,d are tried now".formatted(done));
  }
}
