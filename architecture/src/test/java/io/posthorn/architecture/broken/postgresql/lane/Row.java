package io.posthorn.architecture.broken.postgresql.lane;

import io.posthorn.architecture.broken.postgresql.log.Reader;

public final class Row {
  public Reader cycle() {
    return new Reader();
  }
}
