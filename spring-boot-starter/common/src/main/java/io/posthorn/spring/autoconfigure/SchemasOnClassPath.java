package io.posthorn.spring.autoconfigure;

import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadSchemas;
import org.springframework.beans.factory.ListableBeanFactory;

/** Adds schemas to types that bring none: a bean, or else those of a module on the class path. */
final class SchemasOnClassPath {
  private SchemasOnClassPath() {}

  static MessageTypes addTo(MessageTypes types, ListableBeanFactory beans) {
    return types.schemas() == PayloadSchemas.NONE
        ? types.schemas(
            beans.getBeanProvider(PayloadSchemas.class).getIfAvailable(PayloadSchemas::found))
        : types;
  }
}
