/** After a restore or a copy: which environment owns the database, and what it still delivers. */
@NullMarked
package io.posthorn.core.operate.restore;

import org.jspecify.annotations.NullMarked;
