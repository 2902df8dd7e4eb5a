/** The HTTP API: everything that people can do with a database, for programs of any language. */
@NullMarked
package io.posthorn.api;

import org.jspecify.annotations.NullMarked;
