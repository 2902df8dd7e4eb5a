package io.posthorn.sight;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What PostgreSQL's driver logs, from this level on; it uses the JDK's own logging. */
final class DriverLogs extends Handler implements AutoCloseable {
  private final Logger driver = Logger.getLogger("org.postgresql");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  DriverLogs(Level from) {
    setLevel(Level.ALL);
    setFormatter(new SimpleFormatter());
    driver.setLevel(from);
    driver.setUseParentHandlers(false);
    driver.addHandler(this);
  }

  List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord line) {
    StringWriter text = new StringWriter();
    text.append(getFormatter().formatMessage(line));
    if (line.getThrown() != null) {
      line.getThrown().printStackTrace(new PrintWriter(text, true));
    }
    lines.add(text.toString());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    driver.removeHandler(this);
    driver.setUseParentHandlers(true);
    driver.setLevel(null);
  }
}
