/**
 * The tables as they stand in a database: their leaves, indexes, rights, version, and whose they
 * are.
 */
@NullMarked
package io.posthorn.postgresql.schema;

import org.jspecify.annotations.NullMarked;
