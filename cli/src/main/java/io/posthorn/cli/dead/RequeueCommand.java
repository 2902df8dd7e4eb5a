package io.posthorn.cli.dead;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.Exit;
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

/** Requeues dead letters. */
@Command(
    name = "requeue",
    description = {
      "Requeue dead letters: relays deliver their messages again, with all attempts.",
      "A requeued message goes before the waiting messages of its key. Younger messages that were already sent stay sent: the receiver gets the requeued one after them."
    },
    exitCodeList = {
      Exit.DONE_LINE,
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      Exit.PARTLY_LINE,
      Exit.DIED_LINE,
      Exit.TIMED_OUT_LINE
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  posthorn dead requeue --cause CAUSE --canary 10 --rate 200 --why \"price service fixed\"",
      "  posthorn dead requeue LETTER --payload corrected.json --why \"price added\""
    })
final class RequeueCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Selection selection = new Selection();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--new-id",
      description =
          "Give the messages new ids, so that receivers take them for messages that they have not seen.")
  private boolean newId;

  @Option(
      names = "--payload",
      paramLabel = "FILE",
      description =
          "Send the content of this file instead of the stored payload; for one dead letter.")
  private @Nullable Path payload;

  @Option(
      names = "--no-check",
      description =
          "Do not check the file of --payload. By default, it is refused if it is larger than 1 MiB, or not JSON although the content type says so.")
  private boolean noCheck;

  @Override
  public void run() {
    Requeue plain = newId ? Requeue.SAME.withNewId() : Requeue.SAME;
    Requeue corrected = payload == null ? plain : plain.withPayload(read(payload));
    Requeue how = noCheck ? corrected.unchecked() : corrected;
    if (payload != null && selection.named() != 1) {
      throw new CommandFailed(
          "nothing was requeued: --payload is for one dead letter; pass exactly one id", null);
    }
    OperatorStore store = where.store();
    selection.rescue(
        store,
        answer,
        "Requeue",
        "requeued",
        /* sends= */ true,
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
