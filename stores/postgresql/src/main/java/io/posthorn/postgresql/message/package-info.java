/** Messages as rows: added, read, and read one by one if one of them cannot be. */
@NullMarked
package io.posthorn.postgresql.message;

import org.jspecify.annotations.NullMarked;
