package io.posthorn.core.connector;

/**
 * One result of {@link Connector#check} or of a source's check.
 *
 * @param problem whether it keeps messages from being sent or received, or lets them vanish unseen
 * @param name a reason code, or the name of the value
 * @param text a sentence for people, or the value
 */
public record Finding(boolean problem, String name, String text) {
  public Finding {
    text = Reason.of(name, text).text();
  }

  /** Something that needs fixing. */
  public static Finding problem(Reason reason) {
    return new Finding(true, reason.code(), reason.text());
  }

  /** Something worth knowing, for example the size of the largest message the receiver accepts. */
  public static Finding value(String name, String value) {
    return new Finding(false, name, value);
  }

  @Override
  public String toString() {
    return name + ": " + text;
  }
}
