/** The posthorn command: its root, and how it fails. */
@NullMarked
package io.posthorn.cli;

import org.jspecify.annotations.NullMarked;
