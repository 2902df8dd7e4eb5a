/** The checks of the doctor: one exam for each part of the database. */
@NullMarked
package io.posthorn.postgresql.operate.doctor;

import org.jspecify.annotations.NullMarked;
