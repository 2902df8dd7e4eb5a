package io.posthorn.spring.handler;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.source.Source;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What handlers need from the application.
 *
 * @param types the registered message types
 * @param reader reads payloads; null means that handlers can only take bytes
 * @param sources by name; without those of properties if this program does not deliver
 * @param sourceNames the names of all sources
 * @param classifier maps exceptions to outcomes
 * @param consumers settings by consumer, for consumers that have some
 */
public record Receiving(
    MessageTypes types,
    @Nullable PayloadReader reader,
    Map<String, Source> sources,
    Set<String> sourceNames,
    Classifier classifier,
    Map<String, ConsumerProperties> consumers) {}
