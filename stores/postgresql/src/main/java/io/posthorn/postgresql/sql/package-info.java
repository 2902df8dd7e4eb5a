/** Transactions, statements and their parameters, and what an error of the database means. */
@NullMarked
package io.posthorn.postgresql.sql;

import org.jspecify.annotations.NullMarked;
