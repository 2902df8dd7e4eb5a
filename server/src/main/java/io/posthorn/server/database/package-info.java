/** One relay per database, each independent of the others. */
@NullMarked
package io.posthorn.server.database;

import org.jspecify.annotations.NullMarked;
