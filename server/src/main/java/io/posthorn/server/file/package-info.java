/** The server's file: its keys, how it is read, and everything that can be wrong with it. */
@NullMarked
package io.posthorn.server.file;

import org.jspecify.annotations.NullMarked;
