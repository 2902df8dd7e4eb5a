/** Archives: what they have received, and what they must have before retention removes anything. */
@NullMarked
package io.posthorn.postgresql.operate.archive;

import org.jspecify.annotations.NullMarked;
