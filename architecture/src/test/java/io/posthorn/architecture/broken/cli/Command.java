package io.posthorn.architecture.broken.cli;

import jakarta.inject.Inject;

public final class Command {
  @Inject Object injected;

  @Override
  public String toString() {
    return String.valueOf(injected);
  }
}
