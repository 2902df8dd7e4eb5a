package io.posthorn.core.operate.doctor;

import java.util.List;

/** The side of a store that looks whether everything is as delivery needs it. */
public interface DoctorStore {
  /**
   * Changes nothing, and fails only if there is no database to ask: what the role may not see is
   * told as such. It uses two connections at once.
   *
   * @return everything that was looked at, what is in order too, the worst first
   */
  List<Diagnosis> examine(Examination how);
}
