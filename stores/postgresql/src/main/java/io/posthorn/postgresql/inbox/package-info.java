/** What an application receives: receipts, and messages parked or buried instead of handled. */
@NullMarked
package io.posthorn.postgresql.inbox;

import org.jspecify.annotations.NullMarked;
