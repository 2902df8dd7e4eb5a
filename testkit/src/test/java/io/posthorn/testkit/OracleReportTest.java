package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class OracleReportTest {
  private static OracleReport judge(List<Long> committed, long... seen) {
    SeenNumbers all = new SeenNumbers();
    for (long n : seen) {
      all.add(n);
    }
    OracleReport.Judge judge = new OracleReport.Judge();
    judge.compare("k", committed, all);
    return judge.verdict();
  }

  @Test
  void all_in_order_is_clean() {
    OracleReport verdict = judge(List.of(1L, 2L, 3L), 1, 2, 3);
    assertThat(verdict.isClean()).isTrue();
    assertThat(verdict.delivered()).isEqualTo(3);
    verdict.assertClean();
  }

  @Test
  void duplicates_are_counted_and_clean_wherever_they_come() {
    OracleReport verdict = judge(List.of(1L, 2L, 3L), 1, 1, 2, 1, 3, 2);
    assertThat(verdict.isClean()).isTrue();
    assertThat(verdict.duplicates()).isEqualTo(3);
  }

  @Test
  void a_lost_message_is_found() {
    OracleReport verdict = judge(List.of(1L, 2L, 3L), 1, 3);
    assertThat(verdict.lost()).isEqualTo(1);
    assertThatThrownBy(verdict::assertClean).hasMessageContaining("lost: k 2");
  }

  @Test
  void a_message_that_was_never_committed_is_found() {
    assertThat(judge(List.of(1L), 1, 2).phantom()).isEqualTo(1);
    assertThat(judge(List.of(), 1).phantom()).isEqualTo(1);
  }

  @Test
  void a_message_after_a_later_one_is_found() {
    OracleReport verdict = judge(List.of(1L, 2L, 3L), 1, 3, 2);
    assertThat(verdict.reordered()).isEqualTo(1);
    assertThatThrownBy(verdict::assertClean).hasMessageContaining("reordered (after 3): k 2");
  }

  @Test
  void a_damaged_message_is_found() {
    OracleReport.Judge judge = new OracleReport.Judge();
    judge.corrupted("some line");
    assertThat(judge.verdict().isClean()).isFalse();
    assertThat(judge.verdict().corrupted()).isEqualTo(1);
  }
}
