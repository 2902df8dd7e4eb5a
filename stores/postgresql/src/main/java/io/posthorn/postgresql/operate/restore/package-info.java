/**
 * After a restore or a copy: which environment the database belongs to, and what is still
 * undelivered.
 */
@NullMarked
package io.posthorn.postgresql.operate.restore;

import org.jspecify.annotations.NullMarked;
