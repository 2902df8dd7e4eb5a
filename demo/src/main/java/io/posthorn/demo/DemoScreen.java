package io.posthorn.demo;

import io.posthorn.cli.terminal.Canvas;
import io.posthorn.cli.terminal.Sparkline;
import io.posthorn.cli.terminal.Style;
import java.util.List;

/**
 * Draws the figures of the demo. 80 columns and 24 rows show everything; a larger terminal shows
 * more events.
 */
final class DemoScreen {
  private static final int LEFT = 1;
  private static final int WIDEST = 108;
  private static final int COUNTERS = 3;

  private final Canvas canvas;
  private final Figures figures;
  private final int width;
  private int row;

  private DemoScreen(Canvas canvas, Figures figures) {
    this.canvas = canvas;
    this.figures = figures;
    this.width = Math.min(WIDEST, canvas.columns() - 2 * LEFT);
  }

  static void draw(Canvas canvas, Figures figures) {
    DemoScreen screen = new DemoScreen(canvas, figures);
    screen.title();
    FlowPicture.draw(canvas, screen.row, LEFT, screen.width, figures);
    screen.row += FlowPicture.HEIGHT + 1;
    screen.counters();
    screen.relays();
    screen.throughput();
    screen.events();
    screen.footer();
  }

  private void title() {
    int after = canvas.put(row, LEFT, "posthorn demo", Style.BOLD);
    canvas.put(row, after, "  relays are killed, messages arrive", Style.DIM);
    canvas.putRight(row, LEFT + width, Words.clock(figures.elapsed()), Style.BOLD);
    canvas.put(row + 1, LEFT, "─".repeat(Math.max(0, width)), Style.DIM);
    row += roomy() ? 3 : 2;
  }

  private boolean roomy() {
    return canvas.rows() >= 30;
  }

  private void counters() {
    counter(0, "committed", figures.committed(), Style.BOLD);
    counter(1, "delivered", figures.complete(), Style.BOLD);
    counter(2, "waiting", figures.waiting(), Style.YELLOW);
    row++;
    counter(0, "lost", figures.lost(), fault(figures.lost()));
    counter(1, "reordered", figures.reordered(), fault(figures.reordered()));
    counter(2, "duplicates", figures.duplicates(), Style.PLAIN);
    row += 2;
  }

  private void counter(int place, String name, long value, Style style) {
    int column = LEFT + place * (width / COUNTERS);
    canvas.put(row, column, name, Style.DIM);
    canvas.putRight(row, column + 22, Words.count(value), style);
    if (style == Style.BOLD_GREEN) {
      canvas.put(row, column + 23, "✓", style);
    }
  }

  private static Style fault(long count) {
    return count == 0 ? Style.BOLD_GREEN : Style.BOLD_RED;
  }

  private void relays() {
    for (Figures.RelayLine relay : figures.relays()) {
      canvas.put(row, LEFT, relay.name(), Style.PLAIN);
      canvas.put(row, LEFT + 10, "pid " + relay.pid(), Style.DIM);
      canvas.put(row, LEFT + 23, mark(relay.state()), style(relay.state()));
      canvas.put(row, LEFT + 37, lanes(relay), Style.PLAIN);
      row++;
    }
    canvas.put(row, LEFT, "last kill", Style.DIM);
    canvas.put(row, LEFT + 10, lastKill(), Style.PLAIN);
    row += 2;
  }

  private static String mark(RelayProcess.State state) {
    return switch (state) {
      case STARTING -> "○ starting";
      case SERVING -> "● serving";
      case KILLED -> "× killed -9";
      case STOPPED -> "○ stopped";
    };
  }

  private static Style style(RelayProcess.State state) {
    return switch (state) {
      case STARTING -> Style.YELLOW;
      case SERVING -> Style.GREEN;
      case KILLED -> Style.BOLD_RED;
      case STOPPED -> Style.DIM;
    };
  }

  private static String lanes(Figures.RelayLine relay) {
    String lanes = Words.list(relay.lanes());
    if (relay.state() != RelayProcess.State.KILLED || lanes.isEmpty()) {
      return lanes;
    }
    return lanes + " (lease: " + Words.seconds(relay.lease()) + ")";
  }

  private String lastKill() {
    Figures.LastKill kill = figures.lastKill();
    if (kill == null) {
      return "none yet";
    }
    String who = "%s, %s ago, held ".formatted(kill.relay(), Words.seconds(kill.ago()));
    if (kill.lanes().isEmpty()) {
      return who + "no lane";
    }
    String lanes = who + Words.list(kill.lanes());
    return kill.took() == null
        ? lanes + "; its lease has to expire first"
        : lanes + "; taken over in " + Words.seconds(kill.took());
  }

  private void throughput() {
    int height = roomy() ? 4 : 2;
    List<Long> values = figures.throughput();
    long now = values.isEmpty() ? 0 : values.get(values.size() - 1);
    canvas.put(row, LEFT, "deliveries", Style.DIM);
    canvas.putRight(row + 1, LEFT + 10, Words.count(now) + "/s", Style.BOLD);
    Sparkline.draw(canvas, row, height, LEFT + 13, Math.max(0, width - 13), values);
    row += height + 1;
  }

  /** Draws as many of the newest events as fit. */
  private void events() {
    List<String> events = figures.events();
    int room = Math.max(0, canvas.rows() - 2 - row);
    for (String event : events.subList(Math.max(0, events.size() - room), events.size())) {
      canvas.put(row++, LEFT, event, Style.DIM);
    }
  }

  private void footer() {
    int last = canvas.rows() - 1;
    String look = "psql -h 127.0.0.1 -p %d -U postgres".formatted(figures.port());
    canvas.putRight(last, LEFT + width, look, Style.DIM);
    canvas.put(last, LEFT, figures.hint() + "  ", Style.BOLD);
  }
}
