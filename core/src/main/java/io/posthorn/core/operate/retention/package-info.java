/** How long finished things stay, what is removed, what waits and for whom. */
@NullMarked
package io.posthorn.core.operate.retention;

import org.jspecify.annotations.NullMarked;
