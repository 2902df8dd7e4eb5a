/** The status of everything, at a glance. */
@NullMarked
package io.posthorn.core.operate.status;

import org.jspecify.annotations.NullMarked;
