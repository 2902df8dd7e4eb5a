package io.posthorn.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.ErrorMeaning;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorMeaningTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          08000 | CONNECTION_LOST | connection exception
          08003 | CONNECTION_LOST | connection does not exist
          08006 | CONNECTION_LOST | connection failure
          57P01 | CONNECTION_LOST | the server is shutting down
          57P03 | CONNECTION_LOST | the server is starting
          40001 | CONFLICT        | serialization failure
          40P01 | CONFLICT        | deadlock
          55P03 | LOCK_TIMEOUT    | lock not available
          28P01 | UNAVAILABLE     | invalid password
          40000 | UNAVAILABLE     | transaction rollback
          40003 | UNAVAILABLE     | statement completion unknown
          53100 | UNAVAILABLE     | disk full
          53300 | UNAVAILABLE     | too many connections
          58030 | UNAVAILABLE     | input or output error
          F0000 | UNAVAILABLE     | configuration file error
          XX000 | UNAVAILABLE     | internal error
          XX001 | UNAVAILABLE     | data corrupted
          09000 | REFUSED         | triggered action exception
          21000 | REFUSED         | cardinality violation
          22012 | REFUSED         | division by zero
          22P02 | REFUSED         | invalid text representation
          23505 | REFUSED         | unique violation
          25006 | REFUSED         | read-only transaction
          25P02 | REFUSED         | in a failed transaction
          2F002 | REFUSED         | modifying data is not permitted in a routine
          38000 | REFUSED         | exception of a routine in another language
          39004 | REFUSED         | a routine in another language got a null
          44000 | REFUSED         | check option of a view
          54000 | REFUSED         | program limit exceeded
          P0001 | REFUSED         | raised by a function
          0A000 | UNKNOWN         | feature not supported
          42601 | UNKNOWN         | syntax error
          42P01 | UNKNOWN         | undefined table
          55000 | UNKNOWN         | object not in prerequisite state
          57014 | UNKNOWN         | query canceled
          ABCDE | UNKNOWN         | a code of a trigger's author
          08    | UNKNOWN         | not a SQLSTATE
                | UNKNOWN         | no SQLSTATE
          """)
  void every_class_of_codes_has_its_meaning(String state, ErrorMeaning meaning, String name) {
    assertThat(SqlFailures.meaningOf(new SQLException(name, state))).as(name).isEqualTo(meaning);
  }
}
