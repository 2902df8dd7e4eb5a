package io.posthorn.console.page;

import io.posthorn.api.access.Right;

/**
 * A button or a link.
 *
 * @param text a verb with its object
 * @param href where it leads
 * @param right what the viewer needs for it
 * @param kind the style: empty, primary or danger
 * @param dialog whether it opens the dialog of an action
 */
public record Step(String text, String href, Right right, String kind, boolean dialog) {
  /** A link that everybody may follow. */
  public static Step open(String text, String href) {
    return new Step(text, href, Right.VIEW, "", false);
  }

  /** An action of people who operate. */
  public static Step act(String text, String href) {
    return new Step(text, href, Right.OPERATE, "", true);
  }

  /** An action that needs this right. */
  public static Step act(String text, String href, Right right) {
    return new Step(text, href, right, "", true);
  }

  /** The same, as the button to press first. */
  public Step primary() {
    return new Step(text, href, right, "primary", dialog);
  }

  /** The same, as a button that takes something away. */
  public Step danger() {
    return new Step(text, href, right, "danger", dialog);
  }
}
