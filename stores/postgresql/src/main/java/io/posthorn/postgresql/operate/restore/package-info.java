/** After a restore or a copy: whose database it is now, and what is still to be delivered. */
@NullMarked
package io.posthorn.postgresql.operate.restore;

import org.jspecify.annotations.NullMarked;
