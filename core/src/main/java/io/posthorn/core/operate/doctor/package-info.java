/** Checks whether everything is as delivery needs it, why it matters, and what to do. */
@NullMarked
package io.posthorn.core.operate.doctor;

import org.jspecify.annotations.NullMarked;
