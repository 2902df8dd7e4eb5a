package io.posthorn.sight;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.MDC;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

final class CapturingLogger extends LegacyAbstractLogger implements LoggingEventAware {
  private static final long serialVersionUID = 1L;

  private final boolean ours;

  CapturingLogger(String name) {
    this.name = name;
    this.ours = name.startsWith("io.posthorn");
  }

  @Override
  public boolean isTraceEnabled() {
    return ours;
  }

  @Override
  public boolean isDebugEnabled() {
    return ours;
  }

  @Override
  public boolean isInfoEnabled() {
    return true;
  }

  @Override
  public boolean isWarnEnabled() {
    return true;
  }

  @Override
  public boolean isErrorEnabled() {
    return true;
  }

  @Override
  protected String getFullyQualifiedCallerName() {
    return CapturingLogger.class.getName();
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level, Marker marker, String pattern, Object[] arguments, Throwable thrown) {
    keep(level, pattern, arguments, thrown, List.of());
  }

  @Override
  public void log(LoggingEvent event) {
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    keep(
        event.getLevel(),
        event.getMessage(),
        event.getArgumentArray(),
        event.getThrowable(),
        pairs == null ? List.of() : pairs);
  }

  private void keep(
      Level level, String pattern, Object[] arguments, Throwable thrown, List<KeyValuePair> pairs) {
    StringWriter text = new StringWriter();
    text.append(MessageFormatter.basicArrayFormat(pattern, arguments));
    if (thrown != null) {
      text.append('\n');
      thrown.printStackTrace(new PrintWriter(text, true));
    }
    Map<String, String> fields = new LinkedHashMap<>();
    pairs.forEach(pair -> fields.put(pair.key, String.valueOf(pair.value)));
    Map<String, String> mdc = MDC.getCopyOfContextMap();
    CapturedLogs.add(
        new LogLine(level, name, text.toString(), fields, mdc == null ? Map.of() : mdc));
  }
}
