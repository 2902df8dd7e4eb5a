package io.posthorn.core.connector;

/**
 * One thing that {@link Connector#check}, or that of a source, found.
 *
 * @param problem messages cannot be sent or received because of it, or vanish unseen
 * @param name a reason code, or the name of what was looked at
 * @param text a sentence for people, or the value
 */
public record Finding(boolean problem, String name, String text) {
  public Finding {
    text = Reason.of(name, text).text();
  }

  public static Finding problem(Reason reason) {
    return new Finding(true, reason.code(), reason.text());
  }

  /** Something worth knowing, for example the largest message the receiver takes. */
  public static Finding value(String name, String value) {
    return new Finding(false, name, value);
  }

  @Override
  public String toString() {
    return name + ": " + text;
  }
}
