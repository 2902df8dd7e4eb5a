/** How everything stands, at a glance. */
@NullMarked
package io.posthorn.core.status;

import org.jspecify.annotations.NullMarked;
