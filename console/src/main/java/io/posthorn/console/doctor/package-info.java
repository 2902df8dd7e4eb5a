/** The findings of the doctor. */
@NullMarked
package io.posthorn.console.doctor;

import org.jspecify.annotations.NullMarked;
