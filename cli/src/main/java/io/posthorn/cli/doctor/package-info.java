/** Whether everything is as delivery needs it. */
@NullMarked
package io.posthorn.cli.doctor;

import org.jspecify.annotations.NullMarked;
