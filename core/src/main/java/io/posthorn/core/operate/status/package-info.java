/** How everything stands, at a glance. */
@NullMarked
package io.posthorn.core.operate.status;

import org.jspecify.annotations.NullMarked;
