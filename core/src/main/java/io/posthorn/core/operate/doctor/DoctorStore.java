package io.posthorn.core.operate.doctor;

import java.util.List;

/** The side of a store that checks whether the database is as delivery needs it. */
public interface DoctorStore {
  /**
   * Runs all checks. It changes nothing, uses two connections at once, and fails only if the
   * database cannot be reached. A check that lacks privileges is reported as such.
   *
   * @return the results of all checks, including those without a problem, the worst first
   */
  List<Diagnosis> examine(Examination how);
}
