/** Events for every change of state, for metrics, logs and tests. */
@NullMarked
package io.posthorn.core.observe;

import org.jspecify.annotations.NullMarked;
