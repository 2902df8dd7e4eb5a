/** The databases of this process. */
@NullMarked
package io.posthorn.console.database;

import org.jspecify.annotations.NullMarked;
