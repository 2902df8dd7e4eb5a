package io.posthorn.core.error;

import java.util.List;

/**
 * What JSON libraries, clients, the JDK and SQL in general quote of what they were given. The rules
 * for MySQL and MariaDB are here because these databases have no store that could add them.
 */
final class QuotedValueRules {
  private static final List<Rule> DATABASES =
      List.of(
          Span.of("Duplicate entry (?=')", Ends.last("'| for key ")),
          Span.of(
              "(?i)incorrect \\w{1,20}+ value: (?=')",
              Ends.either(Ends.last("'| for column "), Ends.lastOrAll("'|"))),
          Span.of(" near (?=')", Ends.last("'| at line ")),
          Span.of("Query is: ", Ends::section),
          new TypographicQuotesRule(),
          new SqlRule());

  private static final List<Rule> JSON =
      List.of(
          Span.of("Unrecognized token (?=')", Ends.last("'|: was expecting")),
          Span.of(
              "\\[Source: \\([^)\\n]{1,80}+\\)(?=\")",
              Ends.lastOrAll("\"|; line: ", "\"|[truncated ")),
          Span.of("from [A-Z]\\w{2,20}+ (?=\")", Ends.last("\"|: ")),
          Span.of("from \\w{3,20}+ value \\((?=')", Ends.last("'|)")),
          Span.of("Numeric value \\(", Ends.last("|) out of range")));

  private static final List<Rule> JDK =
      List.of(
          Span.of("For input string: (?=\")", Ends.lastOrAll("\"|")),
          Span.of("Unparseable date: (?=\")", Ends.lastOrAll("\"|")),
          Span.of("\\bText (?=')", Ends.last("'| could not be parsed")),
          Span.of("Invalid UUID string: ", Ends::line),
          Span.of("(?:Illegal|Expected|Malformed) [\\w -]{1,60}? at index \\d{1,9}+: ", Ends::line),
          Span.of(
              "No enum constant (?:[a-z_][\\w$]{0,60}+\\.){0,20}+[A-Z][\\w$]{0,60}+\\.",
              Ends::line));

  private static final List<Rule> CLIENTS =
      List.of(Span.of("Invalid value ", Ends.last("| for configuration ")), new EmailRule());

  static final List<List<Rule>> ALL = List.of(DATABASES, JSON, JDK, CLIENTS);

  private QuotedValueRules() {}
}
