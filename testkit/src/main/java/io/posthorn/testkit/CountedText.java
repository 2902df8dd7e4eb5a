package io.posthorn.testkit;

/** Counts how often a character is read. */
final class CountedText implements CharSequence {
  private final String text;
  private long looks;

  CountedText(String text) {
    this.text = text;
  }

  long looks() {
    return looks;
  }

  @Override
  public char charAt(int index) {
    looks++;
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    looks += end - start;
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    looks += text.length();
    return text;
  }
}
