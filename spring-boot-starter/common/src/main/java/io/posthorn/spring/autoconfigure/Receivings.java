package io.posthorn.spring.autoconfigure;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.source.Source;
import io.posthorn.spring.connector.PropertyConnectors;
import io.posthorn.spring.handler.Receiving;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;

/** Collects what handlers need from beans and properties. */
final class Receivings {
  private Receivings() {}

  static Receiving of(
      ListableBeanFactory beans, PropertyConnectors connectors, PosthornProperties properties) {
    Map<String, Source> sources = new LinkedHashMap<>(connectors.sources());
    sources.putAll(beans.getBeansOfType(Source.class));
    Set<String> names = new LinkedHashSet<>(connectors.sourceNames());
    names.addAll(sources.keySet());
    return new Receiving(
        beans.getBean(MessageTypes.class),
        beans.getBeanProvider(PayloadReader.class).getIfUnique(),
        sources,
        names,
        beans.getBeanProvider(Classifier.class).getIfAvailable(() -> Classifier.DEFAULT),
        properties.consumers());
  }
}
