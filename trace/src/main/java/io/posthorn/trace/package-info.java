/** Traces of messages, with OpenTelemetry. */
@NullMarked
package io.posthorn.trace;

import org.jspecify.annotations.NullMarked;
