package io.posthorn.architecture.broken.postgresql.log;

import io.posthorn.architecture.broken.postgresql.Store;
import io.posthorn.architecture.broken.postgresql.lane.Row;

public final class Reader {
  public Row cycle() {
    return new Row();
  }

  public Store door() {
    return new Store();
  }
}
