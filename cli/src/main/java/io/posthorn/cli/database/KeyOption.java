package io.posthorn.cli.database;

import io.posthorn.core.message.Key;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A key, the same for all commands: its aggregate type is the text before the first '/'. Commands
 * that only list also take an id without a type, which then may be of any type.
 */
public final class KeyOption {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--key",
      paramLabel = "TYPE/ID",
      description = "Of this key, for example Order/o-1; with --aggregate-type, its id alone.")
  private @Nullable String key;

  @Option(
      names = "--aggregate-type",
      paramLabel = "TYPE",
      description =
          "The key's aggregate type. Only a type that contains a '/' needs it: --aggregate-type shop/Order --key o-1.")
  private @Nullable String aggregateType;

  /** Puts a key into JSON as the option takes it. */
  public static void put(Map<String, Object> json, @Nullable Key key) {
    if (key != null) {
      json.put("aggregate_type", key.aggregateType());
      json.put("key", key.toString());
    }
  }

  /** The one key that was given; none if there is no option. */
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

  /** The one key that was given; fails if there is no option. */
  public Key required() {
    Key one = key();
    if (one == null) {
      throw refused("which key? Say --key, for example --key Order/o-1");
    }
    return one;
  }

  /** Fails if there is an id without a type, which could be the id of several keys. */
  public void refuseIdAlone() {
    if (key != null) {
      key();
    }
  }

  /** Null: any. */
  public @Nullable String aggregateType() {
    if (aggregateType != null || key == null) {
      return aggregateType;
    }
    int slash = slash(key);
    return slash < 0 ? null : key.substring(0, slash);
  }

  /** Null: any. */
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
        "'%s' is no key: write the aggregate type, '/', and its id, for example --key Order/o-1"
            .formatted(key));
  }

  private ParameterException refused(String why) {
    return new ParameterException(spec.commandLine(), why);
  }
}
