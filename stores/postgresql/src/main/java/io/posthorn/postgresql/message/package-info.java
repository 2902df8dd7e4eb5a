/**
 * Messages as rows: adding them, reading them, and reading them one by one if one cannot be read.
 */
@NullMarked
package io.posthorn.postgresql.message;

import org.jspecify.annotations.NullMarked;
