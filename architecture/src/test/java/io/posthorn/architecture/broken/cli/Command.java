package io.posthorn.architecture.broken.cli;

import io.posthorn.architecture.broken.postgresql.log.Reader;
import jakarta.inject.Inject;
import org.springframework.stereotype.Component;

@Component
public final class Command {
  @Inject Object injected;

  public Reader pastTheDoor() {
    return new Reader();
  }

  @Override
  public String toString() {
    return String.valueOf(injected);
  }
}
