package io.posthorn.architecture.broken.cli;

import jakarta.inject.Inject;
import org.springframework.stereotype.Component;

@Component
public final class Command {
  @Inject Object injected;

  @Override
  public String toString() {
    return String.valueOf(injected);
  }
}
