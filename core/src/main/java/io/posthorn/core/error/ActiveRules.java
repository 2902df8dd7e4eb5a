package io.posthorn.core.error;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules that apply to every text: those of core, and those that stores add. */
final class ActiveRules {
  private static final Logger LOG = LoggerFactory.getLogger(ActiveRules.class);

  private static final Set<Class<?>> ADDED = new HashSet<>();
  private static final List<Rule> RULES_OF_STORES = new ArrayList<>();
  private static final List<String> HEADINGS_OF_STORES = new ArrayList<>();
  private static final List<String> KEPT_BY_STORES = new ArrayList<>();

  /** Replaced as a whole, so that a reader needs no lock. */
  private static volatile ActiveRules current = new ActiveRules();

  static {
    try {
      ServiceLoader.load(SanitiserRules.class, SanitiserRules.class.getClassLoader())
          .forEach(ActiveRules::add);
    } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
      LOG.error(
          "The sanitiser's rules of a store were not loaded, so error texts may show values of rows"
              + " until the store is created: {}. Correct the files META-INF/services/{} on the"
              + " class path.",
          e,
          SanitiserRules.class.getName());
    }
  }

  private final List<Rule> rules;
  private final List<String> headings;
  private final Pattern values;

  private ActiveRules() {
    // Secrets first, because any text may have them; then what databases and libraries quote.
    this.rules =
        Stream.of(List.of(CredentialRules.ALL, RULES_OF_STORES), QuotedValueRules.ALL)
            .flatMap(List::stream)
            .flatMap(List::stream)
            .toList();
    this.headings =
        Stream.of(HEADINGS_OF_STORES, ValueEnds.OF_STACK_TRACES).flatMap(List::stream).toList();
    this.values = ValueErrors.values(KEPT_BY_STORES);
  }

  static List<Rule> all() {
    return current.rules;
  }

  static List<String> headings() {
    return current.headings;
  }

  /** What {@link ValueErrors} keeps; then, as a group, where a value begins. */
  static Pattern values() {
    return current.values;
  }

  /** Adds these rules unless rules of the same class were added before. */
  static synchronized void add(SanitiserRules added) {
    if (!ADDED.contains(added.getClass())) {
      RULES_OF_STORES.addAll(added.rules());
      HEADINGS_OF_STORES.addAll(added.headings());
      KEPT_BY_STORES.addAll(added.kept());
      ADDED.add(added.getClass());
      current = new ActiveRules();
    }
  }
}
