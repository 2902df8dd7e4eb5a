package io.posthorn.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Reads and changes the terminal's settings with the program {@code stty}. */
final class Stty {
  static final String TTY = "/dev/tty";

  private Stty() {}

  /** Runs stty and returns its output, or empty without a terminal. */
  static Optional<String> run(String... arguments) {
    List<String> command = new ArrayList<>(List.of("stty", "-F", TTY));
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      process.getOutputStream().close();
      String printed = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      return process.waitFor() == 0 ? Optional.of(printed) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /**
   * Returns whether standard output is a terminal. Java only reports whether both input and output
   * are.
   */
  static boolean outputIsTerminal() {
    try {
      Process process = new ProcessBuilder("sh", "-c", "test -t 1").inheritIO().start();
      return process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
