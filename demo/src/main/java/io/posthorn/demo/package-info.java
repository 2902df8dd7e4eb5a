/** posthorn demo: a shop, its outbox and two relays that are killed, before your eyes. */
@NullMarked
package io.posthorn.demo;

import org.jspecify.annotations.NullMarked;
