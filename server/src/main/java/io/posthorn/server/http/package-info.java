/** The HTTP API of the server, behind its login. */
@NullMarked
package io.posthorn.server.http;

import org.jspecify.annotations.NullMarked;
