/** Transactions, statements and their parameters, and the meaning of database errors. */
@NullMarked
package io.posthorn.postgresql.sql;

import org.jspecify.annotations.NullMarked;
