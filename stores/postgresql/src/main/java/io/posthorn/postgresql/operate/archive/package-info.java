/** What archives have, and what they must have before anything is removed. */
@NullMarked
package io.posthorn.postgresql.operate.archive;

import org.jspecify.annotations.NullMarked;
