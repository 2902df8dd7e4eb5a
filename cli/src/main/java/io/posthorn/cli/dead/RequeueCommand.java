package io.posthorn.cli.dead;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.operation.Plan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Back on their way. */
@Command(
    name = "requeue",
    description = "Put dead letters back on their way, before what waits of their keys.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done to all letters",
      "1:nothing was done to a letter that was named, or to any",
      "2:not understood"
    })
final class RequeueCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Selection selection = new Selection();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--new-id",
      description = "Under new ids: receivers take them for messages they have not seen.")
  private boolean newId;

  @Option(
      names = "--payload",
      paramLabel = "FILE",
      description = "With this payload in place of the stored one; for one letter.")
  private @Nullable Path payload;

  @Option(
      names = "--no-check",
      description =
          "Take the payload of --payload as it is, even if it is not JSON and its content type says so, or larger than 1 MiB.")
  private boolean noCheck;

  @Override
  public void run() {
    Requeue plain = newId ? Requeue.SAME.withNewId() : Requeue.SAME;
    Requeue corrected = payload == null ? plain : plain.withPayload(read(payload));
    Requeue how = noCheck ? corrected.unchecked() : corrected;
    if (payload != null && selection.ids().size() != 1) {
      throw new CommandFailed("--payload is for one letter: name it", null);
    }
    OperatorStore store = where.store();
    selection.rescue(
        store,
        answer,
        "Requeue",
        "requeued",
        (ids, by) -> DeadLetters.on(store).requeue(ids, how, by),
        newId ? Plan::requeueUnderNewIds : Plan::requeue);
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new CommandFailed("cannot read the payload from " + file + ": " + e.getMessage(), e);
    }
  }
}
