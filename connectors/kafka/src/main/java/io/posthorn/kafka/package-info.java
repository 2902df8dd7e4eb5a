/** Delivers to Kafka topics and receives from them: in order per key, nothing lost. */
@NullMarked
package io.posthorn.kafka;

import org.jspecify.annotations.NullMarked;
