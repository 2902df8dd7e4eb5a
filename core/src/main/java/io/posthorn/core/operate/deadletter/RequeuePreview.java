package io.posthorn.core.operate.deadletter;

import io.posthorn.core.message.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a requeue would deliver, and what speaks against it.
 *
 * @param written the message with the stored or the corrected payload, decrypted if possible
 * @param read the message as this program's handlers would get it, after the upcasters; null if
 *     they could not read it
 * @param problems what is wrong, for example where the payload does not match its schema; empty if
 *     nothing is
 */
public record RequeuePreview(Message written, @Nullable Message read, List<String> problems) {
  public RequeuePreview {
    problems = List.copyOf(problems);
  }
}
