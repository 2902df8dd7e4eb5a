package io.posthorn.postgresql.operate.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.schema.DoctorCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The documentation explains every code of the doctor. */
class DoctorPageTest {
  @Test
  void the_page_has_every_finding_and_no_other() throws IOException {
    String page = Files.readString(Path.of("../../docs/operate/doctor.md"));
    assertThat(
            page.lines()
                .filter(line -> line.matches("\\| [A-Z_]+ \\|.*"))
                .map(line -> line.split("\\|", -1)[1].strip()))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(DoctorCheck.values()).map(DoctorCheck::name).toList());
  }
}
