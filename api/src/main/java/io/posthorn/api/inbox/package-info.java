/** The receipts of the inbox. */
@NullMarked
package io.posthorn.api.inbox;

import org.jspecify.annotations.NullMarked;
