package io.posthorn.testservers;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs in its own JVM: answers each word with its clocks, and with how long a wait took. */
final class ClockReader {
  static final int WAITS = 5;
  static final int MILLIS = 20;

  private ClockReader() {}

  @SuppressWarnings({"SystemOut", "ResultOfMethodCallIgnored"})
  public static void main(String[] arguments) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String word = in.readLine(); word != null; word = in.readLine()) {
      long millis = System.currentTimeMillis();
      long nanos = System.nanoTime();
      for (int i = 0; i < WAITS; i++) {
        if (new CountDownLatch(1).await(MILLIS, TimeUnit.MILLISECONDS)) {
          throw new IllegalStateException("nobody counted down");
        }
      }
      long waited = (System.nanoTime() - nanos) / 1_000_000;
      System.out.println(word + " " + millis + " " + nanos + " " + waited);
    }
  }
}
