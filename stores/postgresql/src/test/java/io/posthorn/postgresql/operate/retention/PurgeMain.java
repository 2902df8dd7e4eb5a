package io.posthorn.postgresql.operate.retention;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.FileArchive;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.PostgresqlStore;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Purges in its own process, reports each step, and stops at a given step, where it can be killed.
 */
final class PurgeMain {
  private final String stopAt;
  private int parts;

  private PurgeMain(String stopAt) {
    this.stopAt = stopAt;
  }

  public static void main(String[] args) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(args[0]);
    PostgresqlStore store = PostgresqlStore.on(dataSource);
    Archive archive =
        args[1].equals("table") ? store.archiveTable() : FileArchive.in(Path.of(args[1]));
    PurgeMain main = new PurgeMain(args[2]);
    PurgeReport report =
        store.purge(RetentionTimes.DEFAULT, main.telling(archive), step -> main.say(step));
    main.say("emptied " + report.emptied());
  }

  private Archive telling(Archive archive) {
    return new Archive() {
      @Override
      public String name() {
        return archive.name();
      }

      @Override
      public void append(Part part) {
        parts++;
        say("appending " + part.kind() + " " + parts);
        archive.append(part);
        say("appended " + part.kind() + " " + parts);
      }
    };
  }

  private boolean say(String step) {
    System.out.println(step);
    if (step.startsWith(stopAt)) {
      System.out.println("STOPPED");
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return true;
  }
}
