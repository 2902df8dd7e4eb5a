/** Whether everything is as delivery needs it: one exam for each part of it. */
@NullMarked
package io.posthorn.postgresql.operate.doctor;

import org.jspecify.annotations.NullMarked;
