package io.posthorn.core.store;

import java.sql.SQLException;

/**
 * Says what an error of one database means. Error codes differ between databases, so only a store
 * reads them: its callers act on the meaning.
 */
public interface DatabaseErrors {
  /** The meaning of this error; {@link ErrorMeaning#UNKNOWN} if its code says nothing. */
  ErrorMeaning meaningOf(SQLException error);
}
