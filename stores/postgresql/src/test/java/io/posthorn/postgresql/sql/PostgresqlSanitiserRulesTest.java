package io.posthorn.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.error.SanitiserRules;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testkit.SanitiserRulesContract;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresqlSanitiserRulesTest extends SanitiserRulesContract {
  private static final String MESSAGES =
      """
      ERROR: duplicate key value violates unique constraint "customer_email_key"⏎  Detail: Key (email)=(anna@example.org) already exists.
      ERROR: duplicate key value violates unique constraint "customer_email_key"⏎  Detail: Key (email)=(***) already exists.

      Key (name, note)=(anna, b) (c) already exists.
      Key (name, note)=(***) already exists.

      Key (note)=(anna⏎and more) of anna) is not present in table "customer".⏎  Where: trigger t
      Key (note)=(***) is not present in table "customer".⏎  Where: trigger t

      Key (during)=([1,2)) conflicts with existing key (during)=([anna)).
      Key (during)=(***) conflicts with existing key (during)=(***).

      Schlüssel »(email)=(anna)« existiert bereits.
      Schlüssel »(email)=(***)« existiert bereits.

      FEHLER: neue Zeile für Relation »customer« verletzt Check-Constraint »adult«⏎  Detail: Fehlgeschlagene Zeile enthält (1, anna (x)).⏎  Where: f
      FEHLER: neue Zeile für Relation »customer« verletzt Check-Constraint »adult«⏎  Detail: Fehlgeschlagene Zeile enthält (***).⏎  Where: f

      Partitionierungsschlüssel der fehlgeschlagenen Zeile enthält (name) = (anna).
      Partitionierungsschlüssel der fehlgeschlagenen Zeile enthält (***).

      la ligne en échec contient (1, anna)
      la ligne en échec contient (***)

      La fila que falla contiene (1, anna).
      La fila que falla contiene (***).

      La riga in errore contiene (1, anna).
      La riga in errore contiene (***).

      失敗した行は(1, anna)を含みます
      失敗した行は(***)を含みます

      실패한 자료: (1, anna)
      실패한 자료: (***)

      Ошибочная строка содержит (1, anna).
      Ошибочная строка содержит (***).

      Misslyckande rad innehåller (1, anna).
      Misslyckande rad innehåller (***).

      Помилковий рядок містить (1, anna).
      Помилковий рядок містить (***).

      失败, 行包含(1, anna).
      失败, 行包含(***).

      ungültige Eingabesyntax für Typ uuid: »anna«
      ungültige Eingabesyntax für Typ uuid: »***«

      Bad value for type int : anna⏎and more
      Bad value for type int : ***

      ERROR: new row for relation "customer" violates check constraint "adult"⏎  Detail: Failing row contains (1, anna (x), null).
      ERROR: new row for relation "customer" violates check constraint "adult"⏎  Detail: Failing row contains (***).

      ERROR: no partition of relation "r" found for row⏎  Detail: Partition key of the failing row contains (name) = (anna).
      ERROR: no partition of relation "r" found for row⏎  Detail: Partition key of the failing row contains (***).

      Batch entry 0 INSERT INTO customer (email) VALUES ('anna@example.org') was aborted: ERROR: value too long for type character varying(5)  Call getNextException to see other errors in the batch.
      Batch entry 0 *** was aborted: ERROR: value too long for type character varying(5)  Call getNextException to see other errors in the batch.

      Batch entry 3 INSERT INTO t VALUES ('it was aborted: anna'), ('x⏎anna') was aborted.  Call getNextException to see the cause.
      Batch entry 3 *** was aborted.  Call getNextException to see the cause.

      ERROR: invalid input value for enum mood: "anna@example.org"⏎  Position: 31
      ERROR: invalid input value for enum mood: ***⏎  Position: 31

      ERROR: invalid input syntax for type timestamp with time zone: "anna"
      ERROR: invalid input syntax for type timestamp with time zone: ***

      ERROR: value "4917012345678anna" is out of range for type integer
      ERROR: value *** is out of range for type integer

      ERROR: "1e400anna" is out of range for type double precision
      ERROR: *** is out of range for type double precision

      ERROR: date/time field value out of range: "1970-13-01 anna"⏎  Hint: Perhaps you need a different "datestyle" setting.
      ERROR: date/time field value out of range: ***⏎  Hint: Perhaps you need a different "datestyle" setting.

      ERROR: malformed array literal: "{anna@example.org"⏎  Detail: Unexpected end of input.
      ERROR: malformed array literal: ***⏎  Detail: Unexpected end of input.

      ERROR: invalid value "anna" for "DD"
      ERROR: invalid value *** for "DD"

      ERROR: time zone "anna" not recognized
      ERROR: time zone *** not recognized

      ERROR: invalid input syntax for type json⏎  Detail: Expected "," or "}", but found "anna".⏎  Where: JSON data, line 1: {"a": anna
      ERROR: invalid input syntax for type json⏎  Detail: Expected "," or "}", but found ***.⏎  Where: JSON data, line 1: ***

      Token "anna "b" is invalid.
      Token *** is invalid.

      Where: COPY customer, line 1, column email: "anna "b""⏎	at org.postgresql.core.X(X.java:1)
      Where: COPY customer, line 1, column email: ***⏎	at org.postgresql.core.X(X.java:1)

      Where: SQL statement "UPDATE customer SET name = 'anna'"⏎PL/pgSQL function f() line 3 at SQL statement
      Where: SQL statement ***⏎PL/pgSQL function f() line 3 at SQL statement

      Where: unnamed portal with parameters: $1 = 'anna', $2 = '7'
      Where: unnamed portal with parameters: ***

      ERROR: null value in column "email" of relation "customer" violates not-null constraint
      ERROR: null value in column "email" of relation "customer" violates not-null constraint

      FATAL: password authentication failed for user "app"
      FATAL: password authentication failed for user "app"

      ERROR: relation "posthorn_lane" does not exist⏎  Position: 15
      ERROR: relation "posthorn_lane" does not exist⏎  Position: 15

      PreparedStatementCallback; SQL [insert into customer (email) values ('anna')]; ERROR: duplicate key value violates unique constraint "customer_email_key"⏎  Detail: Key (email)=(anna) already exists.
      PreparedStatementCallback; SQL [insert into customer (email) values ***]; ERROR: duplicate key value violates unique constraint "customer_email_key"⏎  Detail: Key (email)=(***) already exists.

      could not execute statement [ERROR: duplicate key value violates unique constraint "customer_email_key"⏎  Detail: Key (email)=(anna) already exists.] [insert into customer (email,id) values (?,?)]
      could not execute statement [ERROR: duplicate key value violates unique constraint "customer_email_key"⏎  Detail: Key (email)=(***) already exists.] [insert into customer (email,id) values ***]

      ### SQL: insert into customer (email) values (?)⏎### Cause: org.postgresql.util.PSQLException: ERROR: duplicate key value⏎  Detail: Key (email)=(anna) already exists.⏎  Where: SQL statement "insert into audit values (17, 'anna')"⏎PL/pgSQL function f() line 3
      ### SQL: insert into customer (email) values ***⏎### Cause: org.postgresql.util.PSQLException: ERROR: duplicate key value⏎  Detail: Key (email)=(***) already exists.⏎  Where: SQL statement ***⏎PL/pgSQL function f() line 3

      Key (email)=(anna) already exists
      Key (email)=(***) already exists

      Failing row contains (1, anna (x)).
      Failing row contains (***).

      ERROR: invalid input syntax for type json⏎  Detail: Token "anna" is invalid.⏎  Where: JSON data, line 1: anna
      ERROR: invalid input syntax for type json⏎  Detail: Token *** is invalid.⏎  Where: JSON data, line 1: ***

      invalid input syntax for type uuid: "anna"
      invalid input syntax for type uuid: ***
      """;

  @Override
  protected SanitiserRules rules() {
    return new PostgresqlSanitiserRules();
  }

  @Override
  protected Class<?> store() {
    return PostgresqlStore.class;
  }

  @Override
  protected String messages() {
    return MESSAGES;
  }

  @Override
  protected List<String> fragments() {
    return List.of(
        "Batch entry 1 ",
        " was aborted: ",
        ")=(",
        ") already exists",
        "failing row contains (",
        "zeile enthält (",
        "失敗した行は(",
        "Bad value for type ",
        "out of range: \"",
        "invalid input value for ",
        "value \"",
        "Token \"",
        "but found \"",
        "JSON data, line 1: ",
        "COPY t: \"",
        "COPY ",
        "SQL statement \"",
        "parameters: $1 = ",
        "Internal Query: ");
  }

  /** Errors of the class 22 lose what is in quotes and brackets, in any language. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        ERROR: duplicate key value violates unique constraint "c"
          Detail: Key (email)=(***) already exists.""",
        """
        ERROR: insert or update on table "t" violates foreign key constraint "c"
          Detail: Key (a, b)=(***) is not present in table "u"."""
      })
  void the_columns_of_a_key_are_kept_in_an_error_that_quotes_values(String message) {
    assertThat(Sanitiser.text(new SQLException(message, "22000"))).isEqualTo(message);
    String quoted = message.replace("***", "anna");
    assertThat(Sanitiser.text(new SQLException(quoted, "22000"))).isEqualTo(message);
  }

  /** Earlier parts shrink, so that even the end of the text is kept. */
  @Test
  void a_secret_that_is_cut_in_the_middle_does_not_show() {
    String url = "amqp://user:s3cr3ts3cr3t@host/";
    String value = "Token \"" + "v".repeat(300) + "\" is invalid. ";
    for (int before = 0; before < 500; before++) {
      String text = "x".repeat(before) + " " + value.repeat(40) + url + " behind";
      assertThat(Sanitiser.clean(text, 3_000)).doesNotContain("s3cr3t");
    }
  }
}
