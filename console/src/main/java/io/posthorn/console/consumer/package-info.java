/** Consumers: which messages they have received and handled. */
@NullMarked
package io.posthorn.console.consumer;

import org.jspecify.annotations.NullMarked;
