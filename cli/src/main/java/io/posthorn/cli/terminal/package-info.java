/** The person's terminal: drawn as a whole, listened to key by key. */
@NullMarked
package io.posthorn.cli.terminal;

import org.jspecify.annotations.NullMarked;
