/**
 * What a person can do while messages are on their way: pause, limit, retry now, skip, reschedule,
 * release.
 */
@NullMarked
package io.posthorn.core.operate.steering;

import org.jspecify.annotations.NullMarked;
