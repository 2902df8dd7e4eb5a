/** Takes orders, and leads each one through stock and payment. */
@NullMarked
package io.posthorn.examples.campuscafe.order;

import org.jspecify.annotations.NullMarked;
