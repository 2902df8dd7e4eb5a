package io.posthorn.core.message;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Brings messages to the versions that their readers know, by the upcasters of a {@link
 * MessageTypes}.
 */
public final class SchemaVersions {
  /**
   * Stands for a reader that looks at the version itself. It can read every version, and gets older
   * messages in the newest version that upcasters lead to.
   */
  public static final int ANY = 0;

  static final SchemaVersions NONE = new SchemaVersions(List.of());

  private final List<Upcast> steps;
  private final Map<String, TreeMap<Integer, Upcast>> byType = new HashMap<>();

  private SchemaVersions(List<Upcast> steps) {
    this.steps = steps;
    for (Upcast step : steps) {
      byType.computeIfAbsent(step.type(), type -> new TreeMap<>()).put(step.from(), step);
    }
  }

  /** Returns these versions with more steps. */
  SchemaVersions with(List<Upcast> more) {
    List<Upcast> all = new ArrayList<>(steps);
    all.addAll(more);
    List<String> problems = Upcast.problems(all);
    if (!problems.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the upcasters were not registered: they have %d %s: %s."
              .formatted(
                  problems.size(),
                  problems.size() == 1 ? "problem" : "problems",
                  String.join("; ", problems)));
    }
    return new SchemaVersions(all);
  }

  static int newest(Map<Integer, Upcast> chain) {
    return chain.values().stream().mapToInt(Upcast::to).max().orElse(0);
  }

  /**
   * Why a reader of the wanted version cannot read messages that were written in the other one;
   * empty if it can.
   *
   * @param wanted the version that the reader knows, or {@link #ANY}
   */
  public Optional<String> problemWith(String type, int written, int wanted) {
    if (wanted == ANY || written == wanted || stepsTo(type, written, wanted) != null) {
      return Optional.empty();
    }
    return Optional.of(
        written > wanted
            ? "version %d of '%s' is newer than version %d, which this program reads"
                .formatted(written, type, wanted)
            : "no upcasters lead from version %d of '%s' to version %d, which this program reads"
                .formatted(written, type, wanted));
  }

  /**
   * Why the steps of this type do not fit its reader; empty if they do, or if there are none.
   *
   * @param reader what reads the type, as the error names it
   */
  public Optional<String> problemWithSteps(String type, int wanted, String reader) {
    TreeMap<Integer, Upcast> chain = byType.get(type);
    if (wanted == ANY || chain == null || newest(chain) == wanted) {
      return Optional.empty();
    }
    int newest = newest(chain);
    return Optional.of(
        "the upcasters of '%s' lead to version %d, but %s reads version %d: %s"
            .formatted(
                type,
                newest,
                reader,
                wanted,
                newest < wanted
                    ? "add upcast(\"%s\", %d, %d, …)".formatted(type, newest, wanted)
                    : "set its schemaVersion to " + newest));
  }

  /**
   * Returns the message in the wanted version, or unchanged if it has that version.
   *
   * @param wanted a version that {@link #problemWith} has no objection to
   * @throws UpcastException if an upcaster fails
   * @throws UnreadablePayloadException if the payload is not what its version promises
   */
  public Message upcast(Message message, int wanted) {
    if (wanted == message.schemaVersion()) {
      return message;
    }
    List<Upcast> path = stepsTo(message.type(), message.schemaVersion(), wanted);
    if (path == null) {
      throw new UnreadablePayloadException(
          problemWith(message.type(), message.schemaVersion(), wanted).orElseThrow());
    }
    byte[] payload = message.payload();
    int version = message.schemaVersion();
    for (Upcast step : path) {
      payload = apply(step, payload);
      version = step.to();
    }
    return path.isEmpty() ? message : message.withPayload(payload).withSchemaVersion(version);
  }

  private static byte[] apply(Upcast step, byte[] payload) {
    byte[] converted;
    try {
      converted = step.upcaster().upcast(payload);
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (UnreadablePayloadException e) {
      throw new UnreadablePayloadException(step.declaredAs() + ": " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UpcastException(step, e);
    } catch (Exception | Error e) {
      throw new UpcastException(step, e);
    }
    if (converted == null) {
      throw new UpcastException(step, new NullPointerException("it returned null"));
    }
    return converted;
  }

  /** The steps to the wanted version; null if they do not lead there. */
  private @Nullable List<Upcast> stepsTo(String type, int written, int wanted) {
    TreeMap<Integer, Upcast> chain = byType.get(type);
    if (chain == null) {
      return wanted == ANY || written == wanted ? List.of() : null;
    }
    List<Upcast> path = new ArrayList<>();
    int version = written;
    while (version != wanted) {
      Upcast step = chain.get(version);
      if (step == null) {
        return wanted == ANY ? path : null;
      }
      if (wanted != ANY && step.to() > wanted) {
        return null;
      }
      path.add(step);
      version = step.to();
    }
    return path;
  }
}
