package io.posthorn.demo;

import io.posthorn.cli.terminal.Canvas;
import io.posthorn.cli.terminal.Style;

/**
 * Draws the flow from the shop through the outbox and the relays to the destinations, with figures.
 */
final class FlowPicture {
  static final int HEIGHT = 4;

  private static final int DESTINATIONS = 18;
  private static final int BOXES = 3;

  private final Canvas canvas;
  private final int top;
  private final int box;
  private final int arrow;
  private int column;

  private FlowPicture(Canvas canvas, int top, int left, int width) {
    this.canvas = canvas;
    this.top = top;
    this.column = left;
    this.box = width >= 100 ? 21 : 16;
    this.arrow = Math.max(3, Math.min(8, (width - DESTINATIONS) / BOXES - box));
  }

  static void draw(Canvas canvas, int top, int left, int width, Figures figures) {
    FlowPicture picture = new FlowPicture(canvas, top, left, width);
    picture.box(
        "shop",
        Words.brief(figures.perSecond()) + " tx/s",
        Words.brief(figures.rolledBack()) + " undone",
        Style.PLAIN);
    picture.arrow();
    picture.box(
        "outbox",
        Words.brief(figures.waiting()) + " waiting",
        "p50 " + Words.millis(figures.latency()),
        figures.waiting() > figures.perSecond() ? Style.YELLOW : Style.PLAIN);
    picture.arrow();
    picture.box(
        "relays",
        figures.running() + " of " + figures.relays().size() + " serve",
        figures.kills() + (figures.kills() == 1 ? " kill" : " kills"),
        figures.running() < figures.relays().size() ? Style.YELLOW : Style.PLAIN);
    picture.arrow();
    picture.destinations(figures, left + width);
  }

  private void box(String name, String first, String second, Style style) {
    int inner = box - 2;
    String head = "─ " + name + " ";
    canvas.put(top, column, "╭" + head + "─".repeat(inner - head.length()) + "╮", Style.DIM);
    canvas.put(top, column + 3, name, Style.BOLD);
    for (int i = 1; i <= 2; i++) {
      canvas.put(top + i, column, "│", Style.DIM);
      canvas.put(top + i, column + 2, i == 1 ? first : second, i == 1 ? style : Style.DIM);
      canvas.put(top + i, column + box - 1, "│", Style.DIM);
    }
    canvas.put(top + HEIGHT - 1, column, "╰" + "─".repeat(inner) + "╯", Style.DIM);
    column += box;
  }

  private void arrow() {
    canvas.put(top + 1, column, " " + "─".repeat(arrow - 3) + "► ", Style.CYAN);
    column += arrow;
  }

  private void destinations(Figures figures, int right) {
    int row = top;
    for (var destination : figures.delivered().entrySet()) {
      canvas.put(row, column, destination.getKey(), Style.PLAIN);
      int end = Math.min(right, column + DESTINATIONS);
      canvas.putRight(row, end, Words.count(destination.getValue()), Style.BOLD);
      row++;
    }
  }
}
