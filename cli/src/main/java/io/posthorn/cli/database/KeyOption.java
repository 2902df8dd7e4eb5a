package io.posthorn.cli.database;

import io.posthorn.core.message.Key;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The option for a key, the same for all commands. The text before the first '/' is the aggregate
 * type. Commands that only list also accept an id without a type, which matches any type.
 */
public final class KeyOption {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--key",
      paramLabel = "TYPE/ID",
      description =
          "The key, for example Order/o-1, with capitals as they are stored; with --aggregate-type, only its id.")
  private @Nullable String key;

  @Option(
      names = "--aggregate-type",
      paramLabel = "TYPE",
      description =
          "The key's aggregate type. Needed only for a type that contains a '/': --aggregate-type shop/Order --key o-1.")
  private @Nullable String aggregateType;

  /** Puts a key into JSON, written as the option accepts it. */
  public static void put(Map<String, Object> json, @Nullable Key key) {
    if (key != null) {
      json.put("aggregate_type", key.aggregateType());
      json.put("key", key.toString());
    }
  }

  /** Returns the key; null if the option was not given. */
  public @Nullable Key key() {
    String type = aggregateType();
    String id = id();
    if (id == null) {
      if (type != null) {
        throw refused("--aggregate-type needs --key here");
      }
      return null;
    }
    if (type == null) {
      throw notAKey();
    }
    return Key.of(type, id);
  }

  /** Returns the key; fails if the option was not given. */
  public Key required() {
    Key one = key();
    if (one == null) {
      throw refused("which key? Pass --key, for example --key Order/o-1");
    }
    return one;
  }

  /** Fails if the key is an id without a type, which several keys may share. */
  public void refuseIdAlone() {
    if (key != null) {
      key();
    }
  }

  /** Null stands for any. */
  public @Nullable String aggregateType() {
    if (aggregateType != null || key == null) {
      return aggregateType;
    }
    int slash = slash(key);
    return slash < 0 ? null : key.substring(0, slash);
  }

  /** Null stands for any. */
  public @Nullable String id() {
    return aggregateType != null || key == null ? key : key.substring(slash(key) + 1);
  }

  private int slash(String text) {
    int slash = text.indexOf('/');
    if (slash == 0 || slash == text.length() - 1) {
      throw notAKey();
    }
    return slash;
  }

  boolean isEmpty() {
    return key == null && aggregateType == null;
  }

  private ParameterException notAKey() {
    return refused(
        "'%s' is not a key: write its aggregate type, '/' and its id, for example --key Order/o-1"
            .formatted(key));
  }

  private ParameterException refused(String why) {
    return new ParameterException(spec.commandLine(), why);
  }
}
