package io.posthorn.server.file;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.store.RelayStore;
import io.posthorn.spring.connector.DestinationProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundles;

/**
 * Checks what single values cannot show: whether they fit together, and whether a connector accepts
 * them. A part with a problem is not checked further, so that one mistake is reported once.
 */
final class FileCheck {
  private static final Pattern DATABASE = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");
  private static final Duration MOST_RETENTION = Duration.ofDays(13);

  private final Checked parts;
  private final List<Problem> problems;

  FileCheck(Checked parts, List<Problem> problems) {
    this.parts = parts;
    this.problems = problems;
  }

  /**
   * The parts of the file that were read.
   *
   * @param found the problems that reading them found
   */
  record Checked(Map<String, Place> places, Binder binder, List<Problem> found) {

    /** Returns the names below this key, in the order of the file. */
    Set<String> below(String path) {
      Set<String> names = new LinkedHashSet<>();
      Place parent = places.get(path);
      for (Place place : places.values()) {
        if (parent != null
            && place.property().startsWith(parent.property() + "[")
            && place.property().indexOf(']') >= 0) {
          String rest = place.property().substring(parent.property().length() + 1);
          names.add(rest.substring(0, rest.indexOf(']')));
        }
      }
      return names;
    }

    boolean sound(String path) {
      return places.containsKey(path)
          && found.stream()
              .noneMatch(one -> one.path().equals(path) || one.path().startsWith(path + "."));
    }

    /** Returns the part, or null if it is missing or has problems. */
    <T> @Nullable T part(String path, Class<T> type) {
      return sound(path)
          ? binder.bindOrCreate(
              Objects.requireNonNull(places.get(path)).property(), Bindable.of(type))
          : null;
    }

    /** The nearest key that the file has at or above this path. */
    Place place(String path) {
      String at = path;
      while (!places.containsKey(at) && at.indexOf('.') >= 0) {
        at = at.substring(0, at.lastIndexOf('.'));
      }
      return Objects.requireNonNull(places.getOrDefault(at, places.get("")));
    }
  }

  void check() {
    SslBundles bundles = bundles();
    Map<String, Duration> served = new LinkedHashMap<>();
    for (String name : parts.below("databases")) {
      database("databases." + name, name, bundles, served);
    }
    relay(served);
    new HttpCheck(parts, this::report).check();
  }

  private SslBundles bundles() {
    Map<String, ServerFile.TlsBundle> bundles = new LinkedHashMap<>();
    for (String name : parts.below("tls-bundles")) {
      ServerFile.TlsBundle bundle = parts.part("tls-bundles." + name, ServerFile.TlsBundle.class);
      if (bundle != null) {
        TlsBundles.problem(bundle)
            .ifPresentOrElse(
                problem -> report("tls-bundles." + name, problem), () -> bundles.put(name, bundle));
      }
    }
    return TlsBundles.of(bundles);
  }

  private void database(String at, String name, SslBundles bundles, Map<String, Duration> served) {
    if (!DATABASE.matcher(name).matches()) {
      report(
          at, "the name of a database begins with a letter and has only letters, digits and . _ -");
    }
    Place place = Objects.requireNonNull(parts.places().get(at));
    DatabaseUrl.problem(text(place, "url")).ifPresent(problem -> report(at + ".url", problem));
    String schema = text(place, "schema");
    String prefix = text(place, "prefix");
    try {
      new DatabaseSettings(
              "",
              null,
              null,
              schema == null ? "public" : schema,
              prefix == null ? "posthorn_" : prefix,
              false,
              "",
              List.of(),
              Map.of())
          .tables();
    } catch (PosthornException e) {
      report(schema == null ? at + ".prefix" : at + ".schema", String.valueOf(e.getMessage()));
    }
    for (String destination : parts.below(at + ".destinations")) {
      destination(at + ".destinations." + destination, destination, bundles, served);
    }
  }

  private void destination(
      String at, String name, SslBundles bundles, Map<String, Duration> served) {
    if (name.equals(RelayStore.UNROUTED)) {
      report(at, "the name is reserved: choose another");
    }
    DestinationProperties properties = parts.part(at, DestinationProperties.class);
    if (properties == null || !knowsBundle(at, properties)) {
      return;
    }
    served.put(at, properties.sendTimeout());
    Set<String> types = new TreeSet<>(properties.types());
    for (String type : properties.byType().keySet()) {
      if (!types.contains(type) && !types.contains("*")) {
        report(
            at + ".by-type." + type,
            "the type is not routed here. " + Nearest.suggestion(type, types));
      }
    }
    List<String> found = new ArrayList<>();
    FileConnectors.of(Map.of(name, properties), "posthorn", bundles, found);
    for (String one : found) {
      String text = one.replace("posthorn.destinations." + name, at);
      Matcher path = Pattern.compile("(\\S+?):? (.*)", Pattern.DOTALL).matcher(text);
      if (path.matches() && path.group(1).startsWith(at)) {
        report(path.group(1), path.group(2));
      } else {
        report(at, text);
      }
    }
  }

  private boolean knowsBundle(String at, DestinationProperties properties) {
    Set<String> known = new TreeSet<>(parts.below("tls-bundles"));
    boolean good = true;
    DestinationProperties.Webhook webhook = properties.webhook();
    DestinationProperties.Rabbitmq rabbit = properties.rabbitmq();
    if (webhook != null) {
      good = knowsBundle(at + ".webhook.ssl-bundle", webhook.sslBundle(), known);
    }
    if (rabbit != null) {
      good &= knowsBundle(at + ".rabbitmq.ssl-bundle", rabbit.sslBundle(), known);
    }
    return good;
  }

  private boolean knowsBundle(String at, @Nullable String bundle, Set<String> known) {
    if (bundle == null || (known.contains(bundle) && parts.sound("tls-bundles." + bundle))) {
      return true;
    }
    if (!known.contains(bundle)) {
      report(
          at,
          "'%s' is not in tls-bundles. %s"
              .formatted(
                  bundle,
                  known.isEmpty()
                      ? "Add it there, with trust or certificate."
                      : Nearest.suggestion(bundle, known)));
    }
    return false;
  }

  private void relay(Map<String, Duration> served) {
    boolean sound = List.of("relay", "retention").stream().allMatch(this::soundOrMissing);
    if (!sound) {
      return;
    }
    Binder binder = parts.binder();
    ServerFile.Relay relay = binder.bindOrCreate("file.relay", Bindable.of(ServerFile.Relay.class));
    ServerFile.Retention retention =
        binder.bindOrCreate("file.retention", Bindable.of(ServerFile.Retention.class));
    RelayConfig config = relay.config(retention);
    config.problems().forEach(this::relayProblem);
    served.forEach(
        (destination, timeout) ->
            config.problemWith(destination, timeout).ifPresent(this::relayProblem));
    if (retention.sent().compareTo(MOST_RETENTION) > 0) {
      report("retention.sent", "is longer than 13d, the most that the log holds");
    }
  }

  private boolean soundOrMissing(String path) {
    return !parts.places().containsKey(path) || parts.sound(path);
  }

  /** Reports a problem that begins with the name of an option in Java. */
  private void relayProblem(String problem) {
    int end = problem.indexOf(' ');
    String option = problem.substring(0, end);
    String path =
        switch (option) {
          case "retention" -> "retention.sent";
          case "deadRetention" -> "retention.dead";
          case "diskBudget" -> "retention.disk-budget";
          default -> "relay." + Key.nameOf(option);
        };
    report(path, problem.substring(end + 1));
  }

  private @Nullable String text(Place place, String key) {
    return parts
        .binder()
        .bind(place.property() + "." + key, Bindable.of(String.class))
        .orElse(null);
  }

  /** Reports it at the key, or at the nearest one above that the file has. */
  private void report(String path, String text) {
    Place place = parts.place(path);
    problems.add(new Problem(place.mark().getLine() + 1, place.mark().getColumn() + 1, path, text));
  }
}
