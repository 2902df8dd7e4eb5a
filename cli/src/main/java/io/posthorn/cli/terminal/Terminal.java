package io.posthorn.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * The whole terminal of the user. Closing it restores what it showed before.
 *
 * <p>Ctrl-C arrives as a key, not as a signal. The signal would stop every process of this program
 * at once, including the database, so an orderly stop would be impossible.
 */
public final class Terminal implements AutoCloseable {
  // Enters and leaves the alternate screen, without cursor and line wrapping.
  private static final String ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J";
  private static final String LEAVE = "\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l";
  // Terminals that support these show everything between them at once; others ignore them.
  private static final String BEGIN = "\u001b[?2026h";
  private static final String END = "\u001b[?2026l";
  private static final int CTRL_C = 3;

  private final OutputStream out = new FileOutputStream(FileDescriptor.out);
  private final String before;
  private final boolean unicode = unicode();
  private final boolean colour = System.getenv("NO_COLOR") == null;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread atExit = new Thread(this::restore, "terminal-exit");
  private volatile boolean resized = true;
  private int rows = 24;
  private int columns = 80;

  private Terminal(String before) {
    this.before = before;
  }

  /** Returns whether standard output is a terminal that can be drawn on. */
  public static boolean isThere() {
    return !"dumb".equals(System.getenv("TERM"))
        && System.getenv("TERM") != null
        && Stty.outputIsTerminal()
        && Stty.run("-g").isPresent();
  }

  /** Takes over the terminal. {@code onStop} runs when the user presses Ctrl-C or q. */
  public static Terminal open(Runnable onStop) {
    Terminal terminal = new Terminal(Stty.run("-g").orElse("sane"));
    Runtime.getRuntime().addShutdownHook(terminal.atExit);
    Stty.run("-icanon", "-echo", "intr", "undef", "susp", "undef", "min", "1", "time", "0");
    Signals.on("WINCH", () -> terminal.resized = true);
    terminal.write(ENTER);
    terminal.listen(onStop);
    return terminal;
  }

  private void listen(Runnable onStop) {
    Thread keys =
        new Thread(
            () -> {
              try (InputStream in = new FileInputStream(Stty.TTY)) {
                for (int key = in.read(); key >= 0 && !closed.get(); key = in.read()) {
                  if (key == CTRL_C || key == 'q') {
                    onStop.run();
                  }
                }
              } catch (IOException e) {
                // The terminal is gone, so no more keys arrive; signals still work.
                return;
              }
            },
            "keys");
    keys.setDaemon(true);
    keys.start();
  }

  /** Returns an empty canvas of the terminal's current size. */
  public Canvas canvas() {
    if (resized) {
      resized = false;
      Stty.run("size").ifPresent(this::size);
    }
    return new Canvas(rows, columns);
  }

  private void size(String rowsAndColumns) {
    String[] size = rowsAndColumns.split(" ");
    if (size.length == 2 && !size[0].equals("0")) {
      rows = Integer.parseInt(size[0]);
      columns = Integer.parseInt(size[1]);
    }
  }

  public void show(Canvas canvas) {
    if (!closed.get()) {
      write(BEGIN + canvas.render(unicode, colour) + END);
    }
  }

  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The shutdown hook itself is calling.
      return;
    }
  }

  private void restore() {
    if (closed.compareAndSet(false, true)) {
      write(LEAVE);
      Stty.run(before);
    }
  }

  private synchronized void write(String text) {
    try {
      out.write(text.getBytes(UTF_8));
      out.flush();
    } catch (IOException e) {
      // The terminal is closed, so nothing needs to be shown.
      return;
    }
  }

  private static boolean unicode() {
    return Stream.of("LC_ALL", "LC_CTYPE", "LANG")
        .map(System::getenv)
        .filter(value -> value != null && !value.isEmpty())
        .findFirst()
        .map(value -> value.toLowerCase(Locale.ROOT).replace("-", "").contains("utf8"))
        .orElse(false);
  }
}
