/** The {@code messages} commands: finding messages and their history. */
@NullMarked
package io.posthorn.cli.messages;

import org.jspecify.annotations.NullMarked;
