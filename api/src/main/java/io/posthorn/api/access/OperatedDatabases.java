package io.posthorn.api.access;

import java.util.List;
import java.util.Optional;

/** The databases of this process, by name, in the order of the configuration. */
public interface OperatedDatabases {
  /** All of them. */
  List<OperatedDatabase> all();

  /** The database with this name; empty if there is none. */
  Optional<OperatedDatabase> find(String name);

  /** The databases in which the caller has this right. */
  default List<OperatedDatabase> of(Caller caller, Right right) {
    return all().stream().filter(one -> caller.may(right, one.name())).toList();
  }

  /** A fixed list of databases. */
  static OperatedDatabases of(List<OperatedDatabase> databases) {
    List<OperatedDatabase> all = List.copyOf(databases);
    return new OperatedDatabases() {
      @Override
      public List<OperatedDatabase> all() {
        return all;
      }

      @Override
      public Optional<OperatedDatabase> find(String name) {
        return all.stream().filter(one -> one.name().equals(name)).findFirst();
      }
    };
  }
}
