package io.posthorn.postgresql.sql;

import io.posthorn.core.error.BetweenRule;
import io.posthorn.core.error.Rule;
import io.posthorn.core.error.SanitiserRules;
import io.posthorn.core.error.ValueEnds;
import java.util.List;

/**
 * Recognises the parts of error texts in which PostgreSQL and its driver quote rows, parameters and
 * statements.
 */
public final class PostgresqlSanitiserRules implements SanitiserRules {
  private static final List<String> HEADINGS =
      List.of(
          "Detail: ",
          "Hint: ",
          "Position: ",
          "Where: ",
          "Location: ",
          "Internal Query: ",
          "Internal Position: ",
          "Server SQLState: ");

  private static final List<Rule> RULES =
      List.of(
          // Batch entry 0 INSERT INTO customer VALUES ('anna') was aborted: ERROR: …
          BetweenRule.of(
              "Batch entry \\d{1,9}+ ",
              ValueEnds.lastOrAll("| was aborted: ", "| was aborted.  Call")),
          // Key (email)=(anna) already exists. Only the brackets are the same in all languages.
          BetweenRule.of(
              "\\)=\\(",
              ValueEnds.either(
                  ValueEnds.last(
                      "|) already exists",
                      "|) is not present in table",
                      "|) is still referenced from table",
                      "|) conflicts with existing key",
                      "|) is duplicated"),
                  ValueEnds.lastOrAll("|)"))),
          // Failing row contains (1, anna). In the languages of PostgreSQL 15's catalogues that
          // have
          // brackets here; core removes what its other messages quote in other languages.
          BetweenRule.of(
              "(?iu)(?:failing row contains|zeile enthält|fila que falla contiene"
                  + "|ligne en échec contient|riga (?:in errore|sbagliata) contiene"
                  + "|失敗した行(?:のパーティションキー)?は|실패한 (?:자료|로우의 파티션 키 값):"
                  + "|строк[аи] содержит|rad(?:en)? innehåller|ряд(?:ок|ка) містить"
                  + "|行包含|行的分区键包含) ?\\(",
              ValueEnds.lastOrAll("|)")),
          // Of the driver, for a column that is read as another type.
          BetweenRule.of("Bad value for type \\S{1,60}+ : ", ValueEnds::section),
          // invalid input syntax for type uuid: "anna", and many more of this form
          BetweenRule.of(
              "(?:invalid input (?:syntax|value) for [^:\\n]{1,120}+|malformed \\w{1,20}+ literal"
                  + "|out of range|invalid \\w{1,20}+ (?:value|digit|symbol)): (?=\")",
              ValueEnds.lastOrAll("\"|")),
          BetweenRule.of(
              "(?:value |ERROR: |time zone )(?=\")",
              ValueEnds.last("\"| is out of range for type", "\"| not recognized", "\"| for \"")),
          BetweenRule.of("Token (?=\")", ValueEnds.last("\"| is invalid")),
          BetweenRule.of("but found (?=\")", ValueEnds.lastOrAll("\"|")),
          // The context of an error: the input itself, parameters, statements of functions.
          BetweenRule.of("JSON data, line \\d{1,9}+: ", ValueEnds::section),
          BetweenRule.of("COPY [^\\n:]{1,300}+: (?=\")", ValueEnds.lastOrAll("\"|")),
          BetweenRule.of("SQL statement (?=\")", ValueEnds.lastOrAll("\"|")),
          BetweenRule.of("parameters?:? (?=\\$\\d{1,5} = )", ValueEnds::section),
          BetweenRule.of("Internal Query: ", ValueEnds::section));

  private static final List<String> KEPT = List.of("\\bKey \\([^()\\n]{1,200}+\\)=\\(\\*\\*\\*\\)");

  /** For {@link java.util.ServiceLoader}, which needs a public constructor. */
  public PostgresqlSanitiserRules() {}

  @Override
  public List<Rule> rules() {
    return RULES;
  }

  @Override
  public List<String> headings() {
    return HEADINGS;
  }

  @Override
  public List<String> kept() {
    return KEPT;
  }
}
