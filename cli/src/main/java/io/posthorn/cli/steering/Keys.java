package io.posthorn.cli.steering;

import io.posthorn.cli.CommandFailed;
import io.posthorn.core.message.Key;

/** Keys, as the command line says them. */
final class Keys {
  private Keys() {}

  static Key parse(String text) {
    int slash = text.indexOf('/');
    if (slash <= 0 || slash == text.length() - 1) {
      throw new CommandFailed(
          "'%s' is no key: write the aggregate type, '/', and its id, for example Order/o-1"
              .formatted(text),
          null);
    }
    return Key.of(text.substring(0, slash), text.substring(slash + 1));
  }
}
