package io.posthorn.architecture;

import static java.util.Map.entry;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Map;
import java.util.Set;

/**
 * Which module may use which, by the package each of them roots in. A new module is a new line
 * here. There is no line from one store to another, nor from one connector to another. Only what is
 * a command itself depends on the command line.
 */
final class Arrows extends ArchCondition<JavaClass> {
  static final Map<String, Set<String>> ALLOWED =
      Map.ofEntries(
          entry("core", Set.of()),
          entry("json", Set.of("core")),
          entry("jsonschema", Set.of("core")),
          entry("kotlin", Set.of("core")),
          entry("envelope", Set.of("core")),
          entry("postgresql", Set.of("core")),
          entry("kafka", Set.of("core", "envelope")),
          entry("rabbitmq", Set.of("core", "envelope")),
          entry("webhook", Set.of("core", "envelope")),
          entry("observe", Set.of("core")),
          entry("trace", Set.of("core")),
          entry(
              "spring",
              Set.of("core", "postgresql", "envelope", "kafka", "rabbitmq", "webhook", "observe")),
          entry("testservers", Set.of()),
          entry("testkit", Set.of("core")),
          entry("test", Set.of("core", "postgresql", "testservers")),
          entry(
              "benchmarks",
              Set.of(
                  "core",
                  "envelope",
                  "postgresql",
                  "kafka",
                  "rabbitmq",
                  "webhook",
                  "cli",
                  "testservers")),
          entry("cli", Set.of("core", "postgresql")),
          entry("demo", Set.of("core", "postgresql", "cli", "testservers")),
          entry("api", Set.of("core", "postgresql", "spring")),
          entry("console", Set.of("core", "api")),
          // What starts everything; the connectors come through the starter's makers.
          entry(
              "server",
              Set.of("core", "postgresql", "spring", "observe", "cli", "api", "console")));

  private final String root;

  Arrows(String root) {
    super("depend on other modules only along the arrows");
    this.root = root + ".";
  }

  @Override
  public void check(JavaClass origin, ConditionEvents events) {
    String from = module(origin);
    if (!ALLOWED.containsKey(from)) {
      report(origin, events, origin.getName() + " is in no module that Arrows knows");
      return;
    }
    origin.getDirectDependenciesFromSelf().stream()
        .filter(dependency -> dependency.getTargetClass().getPackageName().startsWith(root))
        .filter(dependency -> !allowed(from, module(dependency.getTargetClass())))
        .forEach(dependency -> report(origin, events, dependency.getDescription()));
  }

  private static boolean allowed(String from, String to) {
    return from.equals(to) || ALLOWED.getOrDefault(from, Set.of()).contains(to);
  }

  private String module(JavaClass type) {
    String path = (type.getPackageName() + ".").substring(root.length());
    return path.substring(0, Math.max(0, path.indexOf('.')));
  }

  private static void report(JavaClass origin, ConditionEvents events, String message) {
    events.add(SimpleConditionEvent.violated(origin, message));
  }
}
