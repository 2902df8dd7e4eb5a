package io.posthorn.sight;

import java.util.Map;
import org.slf4j.event.Level;

/**
 * One line that was logged.
 *
 * @param text the message with its arguments, and the stack trace if there is one
 * @param fields the key/value pairs
 * @param mdc of the thread
 */
record LogLine(
    Level level, String logger, String text, Map<String, String> fields, Map<String, String> mdc) {}
