/** posthorn schema: the tables, as they are made, printed and granted. */
@NullMarked
package io.posthorn.cli.schema;

import org.jspecify.annotations.NullMarked;
