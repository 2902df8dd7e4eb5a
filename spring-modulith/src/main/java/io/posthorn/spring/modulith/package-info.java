/** Adds Spring Modulith's externalized events to the outbox, in the publisher's transaction. */
@NullMarked
package io.posthorn.spring.modulith;

import org.jspecify.annotations.NullMarked;
