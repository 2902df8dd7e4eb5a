package io.posthorn.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The exit codes of all commands, as numbers and as lines of the help. */
public final class Exit {
  public static final int DONE = 0;
  public static final int NOTHING_DONE = 1;
  public static final int USAGE = 2;
  public static final int PARTLY = 3;
  public static final int DIED = 4;
  public static final int TIMED_OUT = 5;
  public static final int FOUND = 6;

  public static final String DONE_LINE = "0:done, or it was so already";
  public static final String NOTHING_DONE_LINE =
      "1:nothing was done, or the answer is not known; the error says why";
  public static final String USAGE_LINE = "2:invalid usage";
  public static final String PARTLY_LINE =
      "3:done in part: the error says what was not changed, or why an operation was stopped";
  public static final String DIED_LINE =
      "4:--wait: all is done, but not every message was delivered";
  public static final String TIMED_OUT_LINE =
      "5:--wait: the time of --timeout is over; deliveries go on";
  public static final String FOUND_LINE = "6:a check found a problem";

  private Exit() {}

  /** Returns every code and what it means. */
  static Map<String, String> all() {
    Map<String, String> codes = new LinkedHashMap<>();
    for (String line :
        List.of(
            DONE_LINE,
            NOTHING_DONE_LINE,
            USAGE_LINE,
            PARTLY_LINE,
            DIED_LINE,
            TIMED_OUT_LINE,
            FOUND_LINE)) {
      codes.put(line.substring(0, 1), line.substring(2));
    }
    return codes;
  }
}
