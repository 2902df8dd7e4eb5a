package io.posthorn.api.deadletter;

import io.posthorn.api.access.AccessRefusedException;
import io.posthorn.api.access.Caller;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.request.Requests;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters. A letter must match everything that is set.
 *
 * @param reason why it is dead, or why its last attempt failed
 * @param from only letters created at this time or later
 * @param to only letters created before this time
 * @param error a part of the error's text; needs the right to read payloads
 * @param headers only messages with these headers; needs the right to read payloads
 * @param cause the fingerprint of the cause
 * @param message the id of the message
 * @param states letters in these states; default: only those that wait for a person
 */
public record LetterFilter(
    @Nullable String destination,
    @Nullable String type,
    @Nullable String reason,
    @Nullable String aggregateType,
    @Nullable String key,
    @Nullable String from,
    @Nullable String to,
    @Nullable String error,
    @Nullable Map<String, String> headers,
    @Nullable String cause,
    @Nullable UUID message,
    @Nullable List<DeadLetter.State> states) {

  /** The query. */
  public DeadLetterQuery query() {
    DeadLetterQuery.Builder query =
        DeadLetterQuery.builder()
            .destination(destination)
            .type(type)
            .reason(reason)
            .aggregateType(aggregateType)
            .key(key)
            .from(Requests.time("from", from))
            .to(Requests.time("to", to))
            .error(error)
            .fingerprint(cause)
            .messageId(message);
    if (headers != null) {
      headers.forEach(
          (name, value) -> query.header(name, Requests.required("headers." + name, value)));
    }
    if (states != null && !states.isEmpty() && !states.contains(null)) {
      Set<DeadLetter.State> asked = EnumSet.copyOf(states);
      query.states(asked);
    }
    return query.build();
  }

  /** Refuses a search in what the caller may not see: each hit would tell something about it. */
  public void checkSearch(Caller caller, OperatedDatabase database, PayloadView view) {
    boolean searches = error != null || (headers != null && !headers.isEmpty());
    if (searches && !view.mayRead()) {
      throw AccessRefusedException.lacking(caller, Right.READ_PAYLOADS, database.name());
    }
    if (error != null && !view.readsErrors()) {
      throw searchedBehindRules();
    }
  }

  /** Rules mask values in errors, so nobody may find them there letter by letter. */
  public static PosthornException searchedBehindRules() {
    return new PosthornException(
        ErrorCode.INVALID_REQUEST,
        "nothing was searched: mask rules hide values in the texts of errors. Search by cause, reason, type or key.");
  }
}
