package io.posthorn.cli.database;

import io.posthorn.cli.connection.Profile;
import io.posthorn.core.error.PosthornException;
import io.posthorn.postgresql.Tables;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the schema and the name prefix of the tables. */
public final class TablesOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      description = "Schema of Posthorn's tables; default: that of the profile, or public.")
  private @Nullable String schema;

  @Option(
      names = "--prefix",
      paramLabel = "NAME",
      description = "Prefix of the tables' names; default: that of the profile, or posthorn_.")
  private @Nullable String prefix;

  /** Returns the tables without asking a profile, for commands without a database. */
  public Tables tables() {
    return tables(null);
  }

  /** Returns the tables; an option that was not passed comes from the profile. */
  public Tables tables(@Nullable Profile profile) {
    try {
      return new Tables(
          first(schema, profile == null ? null : profile.schema(), Tables.DEFAULT.schema()),
          first(prefix, profile == null ? null : profile.prefix(), Tables.DEFAULT.prefix()));
    } catch (PosthornException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static String first(@Nullable String option, @Nullable String profile, String standard) {
    if (option != null) {
      return option;
    }
    return profile == null ? standard : profile;
  }
}
