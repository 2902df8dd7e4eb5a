package io.posthorn.testservers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Collects the settings of a {@link JavaProcess}. Created by {@link JavaProcess#of}. */
public final class JavaProcessBuilder {
  private final String mainClass;
  private final List<String> options = new ArrayList<>();
  private final List<String> arguments = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private Consumer<String> onLine = line -> {};

  JavaProcessBuilder(String mainClass) {
    this.mainClass = mainClass;
  }

  /** Arguments of {@code main}. */
  public JavaProcessBuilder args(String... more) {
    arguments.addAll(List.of(more));
    return this;
  }

  public JavaProcessBuilder systemProperty(String name, String value) {
    return jvmOption("-D" + name + "=" + value);
  }

  /** Options of the JVM, for example {@code -Xmx64m}. It inherits none from this JVM. */
  public JavaProcessBuilder jvmOption(String... more) {
    options.addAll(List.of(more));
    return this;
  }

  public JavaProcessBuilder environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Uses this clock's time of day. */
  public JavaProcessBuilder clock(FakeClock clock) {
    environment.putAll(clock.environment());
    return this;
  }

  /** Called for each line of standard output, in order, on a thread of its own. */
  public JavaProcessBuilder onLine(Consumer<String> callback) {
    this.onLine = callback;
    return this;
  }

  /** Starts the JVM; returns at once. */
  public JavaProcess start() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(mainClass);
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    return new JavaProcess(mainClass, ChildProcess.start(builder), onLine);
  }
}
