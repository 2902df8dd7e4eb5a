package io.posthorn.spring.autoconfigure;

import io.posthorn.core.error.PosthornException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why the application did not start, instead of a stack trace. */
final class PosthornFailureAnalyzer extends AbstractFailureAnalyzer<PosthornException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, PosthornException cause) {
    return new FailureAnalysis(cause.getMessage(), action(cause), cause);
  }

  private static @Nullable String action(PosthornException cause) {
    return switch (cause.code()) {
      case CONFIGURATION -> "Correct the configuration.";
      case TABLES_OF_ANOTHER_VERSION ->
          "If the tables are older, set posthorn.migrate to true or run what 'posthorn schema print' prints. If they are newer, use the version of Posthorn that migrated them.";
      case TABLES_MISSING ->
          "Set posthorn.migrate to true, or give Flyway or Liquibase what 'posthorn schema print' prints.";
      case ENVIRONMENT_DIFFERS ->
          "Correct posthorn.environment. If this database is a copy, 'posthorn adopt --as-sent' sends nothing of it; if it was restored, see docs/guide/restore.md.";
      default -> null;
    };
  }
}
