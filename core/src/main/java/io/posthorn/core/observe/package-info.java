/** Every change of state, told to whoever listens: metrics, traces, tests. */
@NullMarked
package io.posthorn.core.observe;

import org.jspecify.annotations.NullMarked;
