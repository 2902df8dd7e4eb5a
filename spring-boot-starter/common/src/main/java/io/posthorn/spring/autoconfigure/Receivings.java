package io.posthorn.spring.autoconfigure;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadSchemas;
import io.posthorn.core.source.Source;
import io.posthorn.spring.connector.PropertyConnectors;
import io.posthorn.spring.handler.Receiving;
import io.posthorn.spring.handler.UpcastMethods;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;

/** Collects what handlers need from beans and properties. */
final class Receivings {
  private Receivings() {}

  /** The types with everything that handlers need to read them. */
  static MessageTypes types(ListableBeanFactory beans) {
    MessageTypes types = beans.getBean(MessageTypes.class);
    PayloadSchemas schemas = beans.getBean(PayloadSchemas.class);
    return beans.getBean(UpcastMethods.class).applyTo(withSchemas(types, schemas));
  }

  /** Adds the schemas to types that bring none. */
  static MessageTypes withSchemas(MessageTypes types, PayloadSchemas schemas) {
    return types.schemas() == PayloadSchemas.NONE ? types.schemas(schemas) : types;
  }

  static Receiving of(
      ListableBeanFactory beans, PropertyConnectors connectors, PosthornProperties properties) {
    Map<String, Source> sources = new LinkedHashMap<>(connectors.sources());
    sources.putAll(beans.getBeansOfType(Source.class));
    Set<String> names = new LinkedHashSet<>(connectors.sourceNames());
    names.addAll(sources.keySet());
    return new Receiving(
        types(beans),
        beans.getBeanProvider(PayloadReader.class).getIfUnique(),
        sources,
        names,
        beans.getBeanProvider(Classifier.class).getIfAvailable(() -> Classifier.DEFAULT),
        properties.consumers());
  }
}
