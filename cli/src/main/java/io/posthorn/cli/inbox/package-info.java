/** The commands of the inbox: what was received. */
@NullMarked
package io.posthorn.cli.inbox;

import org.jspecify.annotations.NullMarked;
