/** Operations: bulk actions that relays carry out. */
@NullMarked
package io.posthorn.api.operation;

import org.jspecify.annotations.NullMarked;
