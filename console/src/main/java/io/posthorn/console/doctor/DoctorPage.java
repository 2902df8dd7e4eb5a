package io.posthorn.console.doctor;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Pages;
import io.posthorn.console.page.Viewer;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the doctor finds, why it matters, and what to do. */
@RestController
public final class DoctorPage {
  private final Pages pages;
  private final Ask ask;

  /** Asks for as long as the doctor takes. */
  public DoctorPage(Pages pages, Ask ask) {
    this.pages = pages;
    this.ask = ask;
  }

  /** The page comes at once; the findings, which take a second or two, come later. */
  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/doctor")
  ResponseEntity<byte[]> show(
      HttpServletRequest request, Caller caller, OperatedDatabase database) {
    return pages.page(
        request,
        caller,
        database,
        "doctor",
        "doctor",
        "Doctor",
        Map.of(
            "equivalent",
            Equivalent.get(
                "posthorn doctor", "/api/v1/databases/%s/doctor".formatted(database.name()))));
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/doctor/findings")
  ResponseEntity<byte[]> findings(Caller caller, OperatedDatabase database) {
    Examination how =
        new Examination(
            database.environment().isEmpty() ? null : database.environment(),
            database.retention(),
            Map.of());
    List<Diagnosis> all = ask.within(Ask.LONG, database, () -> database.store().examine(how));
    List<Diagnosis> found = all.stream().filter(one -> one.severity() != Severity.OK).toList();
    List<Diagnosis> good = all.stream().filter(one -> one.severity() == Severity.OK).toList();
    return pages.html(
        HttpStatus.OK,
        pages.part(
            pages.links(database),
            new Viewer(caller, database.name()),
            "doctor",
            Set.of("findings"),
            Map.of("found", found, "good", good, "sentence", sentence(found))));
  }

  private static String sentence(List<Diagnosis> found) {
    long faults = found.stream().filter(one -> one.severity() == Severity.FAULT).count();
    long warnings = found.stream().filter(one -> one.severity() == Severity.WARNING).count();
    if (faults + warnings == 0) {
      return "Everything is as delivery needs it.";
    }
    return faults == 0
        ? "Nothing is broken. %s should be fixed soon."
            .formatted(warnings == 1 ? "One thing" : warnings + " things")
        : "%s must be fixed now%s."
            .formatted(
                faults == 1 ? "One fault" : faults + " faults",
                warnings == 0
                    ? ""
                    : warnings == 1
                        ? ", one warning soon"
                        : ", %d warnings soon".formatted(warnings));
  }
}
