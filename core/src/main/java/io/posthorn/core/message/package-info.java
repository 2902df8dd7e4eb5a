/** Messages that an application wants delivered, and the registry of the types it may use. */
@NullMarked
package io.posthorn.core.message;

import org.jspecify.annotations.NullMarked;
