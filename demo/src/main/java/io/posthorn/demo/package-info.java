/** The {@code demo} command: a shop, its outbox, and two relays that are killed while you watch. */
@NullMarked
package io.posthorn.demo;

import org.jspecify.annotations.NullMarked;
