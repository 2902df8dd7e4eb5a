package io.posthorn.cli.database;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.id.IdPrefix;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an id, or its beginning, from the command line. */
public final class IdConverter implements ITypeConverter<IdPrefix> {
  @Override
  public IdPrefix convert(String text) {
    try {
      return IdPrefix.of(text);
    } catch (PosthornException e) {
      throw new TypeConversionException(
          "'%s' is not an id: write it, or at least its first %d digits"
              .formatted(text, IdPrefix.SHORTEST));
    }
  }
}
