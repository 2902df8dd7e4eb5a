/** Traces of messages, by OpenTelemetry. */
@NullMarked
package io.posthorn.trace;

import org.jspecify.annotations.NullMarked;
