/** The {@code doctor} command: checks everything that delivery needs. */
@NullMarked
package io.posthorn.cli.doctor;

import org.jspecify.annotations.NullMarked;
