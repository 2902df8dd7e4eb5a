/** The {@code schema} commands: creating the tables, and printing their SQL and grants. */
@NullMarked
package io.posthorn.cli.schema;

import org.jspecify.annotations.NullMarked;
