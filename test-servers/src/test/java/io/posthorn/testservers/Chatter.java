package io.posthorn.testservers;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Runs in its own JVM: prints its arguments, then repeats its input. */
final class Chatter {
  private Chatter() {}

  @SuppressWarnings("SystemOut")
  public static void main(String[] args) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
    System.out.println("args " + String.join(" ", args));
    System.out.println("property " + System.getProperty("chatter"));
    System.out.println("variable " + System.getenv("CHATTER"));
    System.err.println("to stderr");
    if (args.length > 0 && args[0].equals("nest")) {
      System.out.println("child " + JavaProcess.of(Chatter.class).start().pid());
    }
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println("read " + line);
    }
    System.exit(3);
  }
}
