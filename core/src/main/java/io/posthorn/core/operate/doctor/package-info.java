/** Whether everything is as delivery needs it: what was found, why it matters, what to do. */
@NullMarked
package io.posthorn.core.operate.doctor;

import org.jspecify.annotations.NullMarked;
