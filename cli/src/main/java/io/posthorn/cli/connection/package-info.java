/** Where the database and the password come from: options, variables and profiles. */
@NullMarked
package io.posthorn.cli.connection;

import org.jspecify.annotations.NullMarked;
