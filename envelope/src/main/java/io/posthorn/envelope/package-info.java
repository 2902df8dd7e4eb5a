/**
 * The form in which a message is sent: CloudEvents 1.0 (binary or structured) or plain, and its
 * address, fixed or taken from the message. All connectors use it.
 */
@NullMarked
package io.posthorn.envelope;

import org.jspecify.annotations.NullMarked;
