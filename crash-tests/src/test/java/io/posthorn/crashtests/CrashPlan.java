package io.posthorn.crashtests;

import io.posthorn.testservers.Processes;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * In a relay process: when it is to kill or freeze itself. The thread that reaches the point does
 * not get beyond it; the others run until the signal is there.
 */
final class CrashPlan {
  /** What happens at the point. */
  enum Action {
    /** SIGKILL: nothing is closed, nothing is flushed. */
    KILL,
    /** SIGSTOP, until somebody sends SIGCONT. */
    FREEZE
  }

  private record Armed(String id, CrashPoint point, Action action, AtomicInteger left) {}

  private static final String DISARM = "disarm";

  private final AtomicReference<@Nullable Armed> armed = new AtomicReference<>();

  /** The order that takes this one back, if it is not carried out already. */
  static String disarm(String id) {
    return DISARM + " " + id;
  }

  /**
   * @param order {@code id point action n}: act when the point is reached the n-th time from now;
   *     or {@link #disarm}
   */
  void arm(String order) {
    String[] words = order.split(" ");
    if (words[0].equals(DISARM)) {
      if (armed.getAndSet(null) != null) {
        print("disarmed " + words[1]);
      }
      return;
    }
    armed.set(
        new Armed(
            words[0],
            CrashPoint.valueOf(words[1]),
            Action.valueOf(words[2]),
            new AtomicInteger(Integer.parseInt(words[3]))));
    print("armed " + words[0]);
  }

  /** The current thread is at this moment of what it does. */
  void reached(String moment) {
    Call call = Call.current();
    if (call != null) {
      reached(call, moment);
    }
  }

  void reached(Call call, String moment) {
    Armed plan = armed.get();
    if (plan != null
        && plan.point.is(call, moment)
        && plan.left.decrementAndGet() == 0
        && armed.compareAndSet(plan, null)) {
      // After this line the process that started us waits for the signal to take effect.
      print("reached " + plan.id);
      act(plan.action);
      print("thawed " + plan.id);
    }
  }

  private static void act(Action action) {
    long pid = ProcessHandle.current().pid();
    if (action == Action.KILL) {
      Processes.kill(pid);
    }
    try {
      new ProcessBuilder("sh", "-c", "kill -s STOP " + pid).start().waitFor();
    } catch (IOException e) {
      throw new IllegalStateException("could not freeze " + pid, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static synchronized void print(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
