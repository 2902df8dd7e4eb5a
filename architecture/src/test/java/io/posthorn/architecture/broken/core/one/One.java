package io.posthorn.architecture.broken.core.one;

import io.posthorn.architecture.broken.cli.Command;
import io.posthorn.architecture.broken.core.two.Two;
import java.util.logging.Logger;

public final class One {
  public Two cycle(Command command) {
    Logger.getLogger(command.toString()).info("logged the old way");
    return new Two();
  }
}
