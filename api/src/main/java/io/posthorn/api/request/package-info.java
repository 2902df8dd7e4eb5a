/** What requests have in common: pages, ids, keys and reasons. */
@NullMarked
package io.posthorn.api.request;

import org.jspecify.annotations.NullMarked;
