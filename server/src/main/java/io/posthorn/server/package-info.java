/** The process that anyone can run: relays from one file, beside the posthorn command. */
@NullMarked
package io.posthorn.server;

import org.jspecify.annotations.NullMarked;
