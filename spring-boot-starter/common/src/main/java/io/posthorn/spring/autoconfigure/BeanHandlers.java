package io.posthorn.spring.autoconfigure;

import io.posthorn.core.bus.ApplicationHandlers;
import io.posthorn.core.bus.Bus;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Source;
import io.posthorn.spring.handler.MessageHandlers;
import java.util.Set;
import java.util.function.Function;

/** The methods with {@code @MessageHandler} of the application's beans, for its tests. */
record BeanHandlers(MessageHandlers handlers, BusMaker buses) implements ApplicationHandlers {
  @Override
  public Set<String> consumers() {
    return handlers.consumers();
  }

  @Override
  public Set<String> consumersOfSources() {
    return handlers.consumersOfSources();
  }

  @Override
  public Bus bus(Relay.Builder relay, Observer observer, Function<String, Source> sources) {
    return buses.bus(relay, observer, sources);
  }
}
