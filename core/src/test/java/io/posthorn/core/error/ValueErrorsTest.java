package io.posthorn.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Databases write errors in the language of the installation. Whatever it is, the values of a
 * refused row are in no text that is made of the exception. Persons are called anna.
 */
class ValueErrorsTest {
  private static SQLException error(String state, String message) {
    return new SQLException(message.replace('⏎', '\n'), state);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      textBlock =
          """
          22P02 | ERROR: invalid input syntax for type uuid: "anna"
          22P02 | FEHLER: ungültige Eingabesyntax für Typ uuid: »anna«
          22P02 | FEHLER: ungültiger Eingabewert für Enum mood: »anna müller«
          22P02 | FEHLER: fehlerhafte Arraykonstante: »{anna«
          22003 | FEHLER: Wert »anna« ist außerhalb des gültigen Bereichs für Typ integer
          23514 | FEHLER: neue Zeile für Relation »t« verletzt Check-Constraint »c«⏎  Detail: Fehlgeschlagene Zeile enthält (1, anna).
          23505 | FEHLER: doppelter Schlüsselwert verletzt Unique-Constraint »c«⏎  Detail: Schlüssel »(email)=(anna)« existiert bereits.
          22P02 | ERREUR: syntaxe en entrée invalide pour le type uuid : « anna »
          23514 | ERREUR: la nouvelle ligne de la relation « t » viole la contrainte de vérification « c »⏎  Détail : La ligne en échec contient (1, anna)
          23514 | ERROR: el nuevo registro para la relación «t» viola la restricción «check» «c»⏎  Detail: La fila que falla contiene (1, anna).
          22P02 | ERRORE: sintassi di input non valida per il tipo uuid: "anna"
          23514 | ERRORE: la nuova riga per la relazione "t" viola il vincolo di controllo "c"⏎  Detail: La riga in errore contiene (1, anna).
          22P02 | ERROR: "uuid"型の入力構文が不正です: "anna"
          23514 | ERROR: リレーション"t"の新しい行は検査制約"c"に違反しています⏎  Detail: 失敗した行は(1, anna)を含みます
          23514 | 오류: 새 자료가 "t" 릴레이션의 "c" 체크 제약 조건을 위반했습니다⏎  Detail: 실패한 자료: (1, anna)
          22P02 | ОШИБКА: неверный синтаксис для типа uuid: "anna"
          23514 | ОШИБКА: новая строка в отношении "t" нарушает ограничение-проверку "c"⏎  Подробности: Ошибочная строка содержит (1, anna).
          23505 | ОШИБКА: повторяющееся значение ключа нарушает ограничение уникальности "c"⏎  Подробности: Ключ "(email)=(anna)" уже существует.
          22P02 | FEL: ogiltigt indata-värde för enum mood: "anna"
          22P02 | 错误: 有缺陷的数组常量:"{anna"
          44000 | FEHLER: neue Zeile verletzt Check-Option für Sicht »v«⏎  Detail: Fehlgeschlagene Zeile enthält (1, anna).
          22P02 | FEHLER: ungültige Eingabesyntax für Typ json⏎  Detail: Token »x« ist ungültig.⏎  Where: JSON-Daten, Zeile 1: {anna
          22P02 | ERREUR: syntaxe en entrée invalide pour le type json⏎  Détail : Le jeton « x » n'est pas valide.⏎  Où : données JSON, ligne 1 : {anna
          22P02 | ОШИБКА: неверный синтаксис для типа uuid: "x"⏎  Where: неименованный портал, параметр $1 = anna
          22003 | Bad value for type int : anna
          22003 | Unzulässiger Wert für den Typ int : anna.
          23000 | (conn=7) Duplicate entry 'anna' for key 'customer.email'
          22018 | Conversion failed when converting the varchar value 'anna' to data type int.
          23000 | Violation of UNIQUE KEY constraint 'UQ_c'. Cannot insert duplicate key in object 'dbo.t'. The duplicate key value is (anna).
          23000 | duplicate key (anna)
          23000 | duplicate key "anna"
          23505 | Unique index or primary key violation: "PUBLIC.C ON PUBLIC.T(EMAIL) VALUES ( /* 1 */ 'anna' )"
          """)
  void a_value_is_in_no_text_of_the_exception_whatever_the_language(String state, String message) {
    SQLException error = error(state, message);
    RuntimeException wrapper =
        new IllegalStateException("not saved [" + error.getMessage() + "] [insert]", error);
    BatchUpdateException batch =
        new BatchUpdateException(
            "Batch entry 0 insert into t values ('anna') was aborted: " + error.getMessage(),
            state,
            new int[0],
            error);
    for (Exception thrown : new Exception[] {error, wrapper, new Exception(wrapper), batch}) {
      assertThat(Sanitiser.text(thrown)).doesNotContain("anna");
      for (Throwable each : Causes.of(Sanitiser.clean(thrown))) {
        assertThat(each.toString()).doesNotContain("anna");
      }
      Reason reason = Reason.of(Reason.UNKNOWN, thrown);
      assertThat(reason.text()).doesNotContain("anna");
      assertThat(Objects.requireNonNull(reason.stack()))
          .doesNotContain("anna")
          .contains(thrown.getClass().getName(), "\tat " + ValueErrorsTest.class.getName());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\u0001',
      textBlock =
          """
          ERROR: null value in column "email" of relation "t" violates not-null constraint⏎  Detail: Failing row contains (***).
          ERROR: value too long for type character varying(10)
          ERROR: numeric field overflow⏎  Detail: A field with precision 5, scale 2 must round to an absolute value less than 10^3.
          ERROR: invalid input syntax for type uuid: ***⏎  Position: 15
          (conn=7) Duplicate entry *** for key 'customer.email'
          ORA-00001: unique constraint (SHOP.CUSTOMER_PK) violated
          the row is gone
          """)
  void what_helps_is_kept(String message) {
    SQLException error = error("22000", message);
    assertThat(Sanitiser.text(error)).isEqualTo(message.replace('⏎', '\n'));
  }

  @Test
  void the_name_of_a_constraint_is_kept_where_the_word_for_it_is_known() {
    assertThat(Sanitiser.text(error("23505", "verletzt Unique-Constraint »t_email_key«")))
        .isEqualTo("verletzt Unique-Constraint »t_email_key«");
    assertThat(Sanitiser.text(error("23505", "rompt la contrainte unique « t_email_key »")))
        .isEqualTo("rompt la contrainte unique « t_email_key »");
    assertThat(Sanitiser.text(error("23505", "viola restricción de unicidad «t_email_key»")))
        .isEqualTo("viola restricción de unicidad «t_email_key»");
  }

  @Test
  void only_the_part_of_a_wrapper_that_quotes_the_error_is_touched() {
    SQLException error = error("22P02", "ОШИБКА: неверный синтаксис для типа uuid: \"anna\"");
    assertThat(
            Sanitiser.text(
                new IllegalStateException("order \"7\" (new): " + error.getMessage(), error)))
        .isEqualTo("order \"7\" (new): ОШИБКА: неверный синтаксис для типа uuid: \"***\"");
    assertThat(Sanitiser.text(new IllegalStateException("order \"7\" (new)", error)))
        .isEqualTo("order \"7\" (new)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"42601", "08006", "P0001", "", "2"})
  void other_errors_are_cleaned_as_all_texts_are(String state) {
    SQLException error = error(state, "relation (x) has no \"y\"");
    assertThat(Sanitiser.text(error)).isEqualTo("relation (x) has no \"y\"");
  }

  @Test
  void an_error_without_a_state_or_a_message_is_cleaned_as_all_texts_are() {
    assertThat(Sanitiser.text(new SQLException("has no \"y\""))).isEqualTo("has no \"y\"");
    assertThat(Sanitiser.text(new SQLException(null, "22000"))).isEqualTo("SQLException");
  }
}
