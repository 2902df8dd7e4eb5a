package io.posthorn.core.bus;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.SchemaVersions;

/**
 * A handler of one type.
 *
 * @param version the version that it reads, or {@link SchemaVersions#ANY}
 */
record VersionHandler(EventHandler<Message> handler, int version) {}
