/** The commands that find messages. */
@NullMarked
package io.posthorn.cli.messages;

import org.jspecify.annotations.NullMarked;
