package io.posthorn.postgresql.sql;

import io.posthorn.core.error.Ends;
import io.posthorn.core.error.Rule;
import io.posthorn.core.error.SanitiserRules;
import io.posthorn.core.error.Span;
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
          Span.of(
              "Batch entry \\d{1,9}+ ", Ends.lastOrAll("| was aborted: ", "| was aborted.  Call")),
          // Key (email)=(anna) already exists. Only the brackets are the same in all languages.
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
          // Failing row contains (1, anna). In the languages of PostgreSQL 15's catalogues that
          // have
          // brackets here; core removes what its other messages quote in other languages.
          Span.of(
              "(?iu)(?:failing row contains|zeile enthält|fila que falla contiene"
                  + "|ligne en échec contient|riga (?:in errore|sbagliata) contiene"
                  + "|失敗した行(?:のパーティションキー)?は|실패한 (?:자료|로우의 파티션 키 값):"
                  + "|строк[аи] содержит|rad(?:en)? innehåller|ряд(?:ок|ка) містить"
                  + "|行包含|行的分区键包含) ?\\(",
              Ends.lastOrAll("|)")),
          // Of the driver, for a column that is read as another type.
          Span.of("Bad value for type \\S{1,60}+ : ", Ends::section),
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
          // The context of an error: the input itself, parameters, statements of functions.
          Span.of("JSON data, line \\d{1,9}+: ", Ends::section),
          Span.of("COPY [^\\n:]{1,300}+: (?=\")", Ends.lastOrAll("\"|")),
          Span.of("SQL statement (?=\")", Ends.lastOrAll("\"|")),
          Span.of("parameters?:? (?=\\$\\d{1,5} = )", Ends::section),
          Span.of("Internal Query: ", Ends::section));

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
