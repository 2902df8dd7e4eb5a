/** The delivering side: claims batches, sends them in key order, settles what came of it. */
@NullMarked
package io.posthorn.core.relay;

import org.jspecify.annotations.NullMarked;
