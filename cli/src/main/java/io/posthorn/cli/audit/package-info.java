/** The {@code audit} commands: the record of what people did. */
@NullMarked
package io.posthorn.cli.audit;

import org.jspecify.annotations.NullMarked;
