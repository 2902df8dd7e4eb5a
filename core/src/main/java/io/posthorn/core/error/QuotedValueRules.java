package io.posthorn.core.error;

import java.util.List;

/**
 * What JSON libraries, clients, the JDK and SQL in general quote of what they were given. The rules
 * for MySQL and MariaDB are here because these databases have no store that could add them.
 */
final class QuotedValueRules {
  private static final List<Rule> DATABASES =
      List.of(
          BetweenRule.of("Duplicate entry (?=')", ValueEnds.last("'| for key ")),
          BetweenRule.of(
              "(?i)incorrect \\w{1,20}+ value: (?=')",
              ValueEnds.either(ValueEnds.last("'| for column "), ValueEnds.lastOrAll("'|"))),
          BetweenRule.of(" near (?=')", ValueEnds.last("'| at line ")),
          BetweenRule.of("Query is: ", ValueEnds::section),
          new TypographicQuotesRule(),
          new SqlRule());

  private static final List<Rule> JSON =
      List.of(
          BetweenRule.of("Unrecognized token (?=')", ValueEnds.last("'|: was expecting")),
          BetweenRule.of(
              "\\[Source: \\([^)\\n]{1,80}+\\)(?=\")",
              ValueEnds.lastOrAll("\"|; line: ", "\"|[truncated ")),
          BetweenRule.of("from [A-Z]\\w{2,20}+ (?=\")", ValueEnds.last("\"|: ")),
          BetweenRule.of("from \\w{3,20}+ value \\((?=')", ValueEnds.last("'|)")),
          BetweenRule.of("Numeric value \\(", ValueEnds.last("|) out of range")));

  private static final List<Rule> JDK =
      List.of(
          BetweenRule.of("For input string: (?=\")", ValueEnds.lastOrAll("\"|")),
          BetweenRule.of("Unparseable date: (?=\")", ValueEnds.lastOrAll("\"|")),
          BetweenRule.of("\\bText (?=')", ValueEnds.last("'| could not be parsed")),
          BetweenRule.of("Invalid UUID string: ", ValueEnds::line),
          BetweenRule.of(
              "(?:Illegal|Expected|Malformed) [\\w -]{1,60}? at index \\d{1,9}+: ",
              ValueEnds::line),
          BetweenRule.of(
              "No enum constant (?:[a-z_][\\w$]{0,60}+\\.){0,20}+[A-Z][\\w$]{0,60}+\\.",
              ValueEnds::line));

  private static final List<Rule> CLIENTS =
      List.of(
          BetweenRule.of("Invalid value ", ValueEnds.last("| for configuration ")),
          new EmailRule());

  static final List<List<Rule>> ALL = List.of(DATABASES, JSON, JDK, CLIENTS);

  private QuotedValueRules() {}
}
