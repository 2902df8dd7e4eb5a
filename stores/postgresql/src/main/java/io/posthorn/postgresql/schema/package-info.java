/**
 * The tables in a database: their leaves, indexes, rights, version, and the environment they belong
 * to.
 */
@NullMarked
package io.posthorn.postgresql.schema;

import org.jspecify.annotations.NullMarked;
