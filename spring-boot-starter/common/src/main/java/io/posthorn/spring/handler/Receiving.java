package io.posthorn.spring.handler;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.source.Source;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What handlers have to do with.
 *
 * @param types those that are registered
 * @param reader reads payloads; none = only bytes can be taken
 * @param sources by name
 * @param classifier what exceptions mean
 * @param consumers settings by consumer, for those that have some
 */
public record Receiving(
    MessageTypes types,
    @Nullable PayloadReader reader,
    Map<String, Source> sources,
    Classifier classifier,
    Map<String, ConsumerProperties> consumers) {}
