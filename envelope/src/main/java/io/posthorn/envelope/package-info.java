/**
 * How a message looks on its way: CloudEvents 1.0 (binary or structured) or plain; and the address
 * it goes to, fixed or taken from the message. Connectors share it.
 */
@NullMarked
package io.posthorn.envelope;

import org.jspecify.annotations.NullMarked;
