/** Dead letters: finding, grouping, correcting and rescuing them. */
@NullMarked
package io.posthorn.api.deadletter;

import org.jspecify.annotations.NullMarked;
