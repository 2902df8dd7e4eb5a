package io.posthorn.core.error;

import java.util.List;

/** What PostgreSQL and its driver quote of rows, parameters and statements. */
final class PostgresqlRules {
  static final List<Rule> ALL =
      List.of(
          // Batch entry 0 INSERT INTO customer VALUES ('anna') was aborted: ERROR: …
          Span.of(
              "Batch entry \\d{1,9}+ ", Ends.lastOrAll("| was aborted: ", "| was aborted.  Call")),
          // Key (email)=(anna) already exists. In other languages as well.
          Span.of(
              "\\)=\\(",
              Ends.either(
                  Ends.last(
                      "|) already exists",
                      "|) is not present in table",
                      "|) is still referenced from table",
                      "|) conflicts with existing key",
                      "|) is duplicated"),
                  Ends.lastOrAll("|)"))),
          // Failing row contains (1, anna).
          Span.of("(?i)failing row contains \\(", Ends.lastOrAll("|)")),
          // invalid input syntax for type uuid: "anna", and many more of this form
          Span.of(
              "(?:invalid input (?:syntax|value) for [^:\\n]{1,120}+|malformed \\w{1,20}+ literal"
                  + "|out of range|invalid \\w{1,20}+ (?:value|digit|symbol)): (?=\")",
              Ends.lastOrAll("\"|")),
          Span.of(
              "(?:value |ERROR: |time zone )(?=\")",
              Ends.last("\"| is out of range for type", "\"| not recognized", "\"| for \"")),
          Span.of("Token (?=\")", Ends.last("\"| is invalid")),
          Span.of("but found (?=\")", Ends.lastOrAll("\"|")),
          // Where it happened: the input itself, parameters, statements of functions.
          Span.of("JSON data, line \\d{1,9}+: ", Ends::section),
          Span.of("COPY [^\\n:]{1,300}+: (?=\")", Ends.lastOrAll("\"|")),
          Span.of("SQL statement (?=\")", Ends.lastOrAll("\"|")),
          Span.of("parameters?:? (?=\\$\\d{1,5} = )", Ends::section),
          Span.of("Internal Query: ", Ends::section));

  private PostgresqlRules() {}
}
