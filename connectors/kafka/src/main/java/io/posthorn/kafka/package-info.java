/** Delivers to Kafka topics: idempotent, acknowledged by all replicas, in order per key. */
@NullMarked
package io.posthorn.kafka;

import org.jspecify.annotations.NullMarked;
