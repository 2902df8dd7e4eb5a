/** Live figures as server-sent events. */
@NullMarked
package io.posthorn.api.event;

import org.jspecify.annotations.NullMarked;
