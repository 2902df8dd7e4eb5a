/** The {@code inbox} commands: receipts of what was received. */
@NullMarked
package io.posthorn.cli.inbox;

import org.jspecify.annotations.NullMarked;
