package io.posthorn.api.mask;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.JsonSyntax;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.store.MessageStory.Attempt;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides what of payloads, headers, errors and stack traces one caller sees. Nothing else of the
 * API and the console reads these for showing them. {@link PayloadViews} makes it.
 */
public final class PayloadView {
  private static final Set<String> OPEN_HEADERS =
      Set.of(
          Headers.CORRELATION_ID,
          Headers.CAUSATION_ID,
          Headers.TRACEPARENT,
          Headers.TRACESTATE,
          Headers.SENDER,
          Headers.UNREADABLE);

  private final boolean mayRead;
  private final List<MaskRule> rules;

  /**
   * A view.
   *
   * @param mayRead whether the caller may read payloads
   * @param rules what is masked for those who may; empty once they have unmasked it
   */
  PayloadView(boolean mayRead, List<MaskRule> rules) {
    this.mayRead = mayRead;
    this.rules = rules;
  }

  /** Whether the caller may read payloads at all. */
  public boolean mayRead() {
    return mayRead;
  }

  /** Whether rules hide a part of this type's payloads, until somebody unmasks one. */
  public boolean hasRules(String type) {
    return !masking(type).isEmpty();
  }

  /**
   * Whether the caller sees the texts of all errors unmasked. Only then may they search in them:
   * each hit would tell something about a hidden value.
   */
  public boolean readsErrors() {
    return mayRead && rules.isEmpty();
  }

  /** What an operation selects; what it searches for in errors and headers may be of a payload. */
  public Map<String, String> selection(Map<String, String> selection) {
    Map<String, String> shown = new TreeMap<>(selection);
    if (!readsErrors()) {
      shown.replaceAll(
          (name, value) ->
              name.equals("error") || name.startsWith("header.") ? Masking.HIDDEN : value);
    }
    return shown;
  }

  /** An entry of the audit; what an operation searched for may be of a payload. */
  public AuditEntry entry(AuditEntry one) {
    String after = one.after();
    boolean hide = !readsErrors() && one.action().equals("operation.start");
    return new AuditEntry(
        one.n(),
        one.at(),
        one.who(),
        one.role(),
        one.action(),
        one.target(),
        one.why(),
        one.before(),
        after != null && hide
            ? after.replaceFirst("(?s)selected by .*", "selected by " + Masking.HIDDEN)
            : after,
        one.hash());
  }

  private Masking masking(String type) {
    return new Masking(rules.stream().filter(rule -> rule.isFor(type)).toList());
  }

  /**
   * What is shown of a payload.
   *
   * @param cipherKey the key that the stored payload is encrypted with; null if it is not
   */
  public ShownPayload payload(Message message, @Nullable String cipherKey) {
    if (!mayRead) {
      return hidden(message, "payloads are shown to people with the role payload-reader");
    }
    if (cipherKey != null) {
      return hidden(message, "the payload is encrypted with key '%s'".formatted(cipherKey));
    }
    Masking masking = masking(message.type());
    if (masking.isEmpty()) {
      return shown(message, message.payload(), false, null);
    }
    Optional<String> masked =
        JsonSyntax.isNamedBy(message.contentType())
            ? masking.payload(message.payload())
            : Optional.empty();
    return masked
        .map(text -> shown(message, text.getBytes(UTF_8), true, "values are masked by rules"))
        .orElseGet(
            () ->
                hidden(
                    message,
                    "rules mask values of this type, and this payload is no JSON object that they apply to"));
  }

  private static ShownPayload hidden(Message message, String why) {
    return new ShownPayload(true, message.payload().length, message.contentType(), null, null, why);
  }

  private static ShownPayload shown(
      Message message, byte[] payload, boolean masked, @Nullable String note) {
    String text = text(payload);
    return new ShownPayload(
        masked,
        message.payload().length,
        message.contentType(),
        text,
        text == null ? Base64.getEncoder().encodeToString(payload) : null,
        note);
  }

  private static @Nullable String text(byte[] payload) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** The headers; values that may be of the business are hidden from those who may not read. */
  public Map<String, String> headers(Message message) {
    Map<String, String> shown = new TreeMap<>();
    message
        .headers()
        .forEach(
            (name, value) ->
                shown.put(name, mayRead || OPEN_HEADERS.contains(name) ? value : Masking.HIDDEN));
    return shown;
  }

  /** The whole message. */
  public ShownMessage message(Message message, @Nullable String cipherKey) {
    return new ShownMessage(
        message.id(),
        message.type(),
        message.schemaVersion(),
        message.key(),
        message.occurredAt(),
        message.notBefore(),
        headers(message),
        payload(message, cipherKey));
  }

  /** The text of an error of messages of any of these types. */
  public @Nullable String error(@Nullable String text, Collection<String> types) {
    if (text == null) {
      return null;
    }
    return mayRead && types.stream().noneMatch(this::hasRules) ? text : ErrorTexts.strictly(text);
  }

  /** A text that may quote any payload, where neither the message nor its type is at hand. */
  public @Nullable String anyText(@Nullable String text) {
    return text == null || (mayRead && rules.isEmpty()) ? text : ErrorTexts.strictly(text);
  }

  /** The attempts of a message, with the texts of their errors as the caller sees them. */
  public List<Attempt> attempts(
      List<Attempt> attempts, Message message, @Nullable String cipherKey) {
    return attempts.stream()
        .map(
            one ->
                new Attempt(
                    one.number(),
                    one.at(),
                    one.outcome(),
                    one.reason(),
                    error(one.error(), message, cipherKey)))
        .toList();
  }

  /** The text of an error of a message of this type, where its payload is not at hand. */
  public @Nullable String error(@Nullable String text, String type) {
    if (text == null) {
      return null;
    }
    return mayRead && masking(type).isEmpty() ? text : ErrorTexts.strictly(text);
  }

  /** The text of an error of this message. */
  public @Nullable String error(
      @Nullable String text, Message message, @Nullable String cipherKey) {
    if (text == null) {
      return null;
    }
    return mayRead
        ? known(text, message, cipherKey).orElseGet(() -> ErrorTexts.strictly(text))
        : scrubbed(text, message, cipherKey);
  }

  private static String scrubbed(String text, Message message, @Nullable String cipherKey) {
    return cipherKey != null
        ? ErrorTexts.strictly(text)
        : Masking.withoutAllValues(text, message)
            .map(ErrorTexts::withoutValues)
            .orElseGet(() -> ErrorTexts.strictly(text));
  }

  /** The stack trace of an error of this message. */
  public @Nullable String stack(
      @Nullable String stack, Message message, @Nullable String cipherKey) {
    if (stack == null) {
      return null;
    }
    return mayRead
        ? known(stack, message, cipherKey).orElseGet(() -> ErrorTexts.withoutMessages(stack))
        : ErrorTexts.withoutMessages(stack);
  }

  /** Empty if rules apply whose values are not known, so all values have to go. */
  private Optional<String> known(String text, Message message, @Nullable String cipherKey) {
    Masking masking = masking(message.type());
    if (masking.isEmpty()) {
      return Optional.of(text);
    }
    return cipherKey == null ? masking.text(text, message.payload()) : Optional.empty();
  }
}
