package io.posthorn.core.error;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Removes the values in a quoted SQL statement: lists behind VALUES, and text in single quotes. */
final class SqlRule implements Rule {
  private static final char NONE = '\0';
  private static final Pattern STATEMENT =
      Pattern.compile(
          "(?i)\\b(?:insert\\s{1,9}+into|delete\\s{1,9}+from|merge\\s{1,9}+into"
              + "|update\\s{1,9}+\\S{1,130}+\\s{1,9}+set|select(?=\\s[^\\n]{1,200}?\\sfrom\\s))\\s");
  private static final Pattern VALUES = Pattern.compile("(?i)\\bvalues\\s{0,20}+(?=\\()");

  @Override
  public CharSequence apply(CharSequence text) {
    Matcher statements = STATEMENT.matcher(text);
    StringBuilder kept = new StringBuilder();
    Ahead ahead = new Ahead(text);
    int copied = 0;
    while (statements.find(copied)) {
      kept.append(text, copied, statements.end());
      copied = statement(text, statements.start(), statements.end(), ahead, kept);
    }
    return copied == 0 ? text : kept.append(text, copied, text.length());
  }

  /** Appends the statement without its values; returns where it ends. */
  private static int statement(
      CharSequence text, int start, int from, Ahead ahead, StringBuilder kept) {
    char closing = start == 0 ? NONE : closing(text.charAt(start - 1));
    int end = ahead.end(from);
    int nextValues = ahead.values(from);
    int at = from;
    while (at < end && text.charAt(at) != closing) {
      int skipped = at;
      if (at == nextValues) {
        skipped = rows(text, at, end);
      } else if (text.charAt(at) == '\'') {
        skipped = quoted(text, at, end);
      }
      if (skipped > at) {
        kept.append(REMOVED);
        at = skipped;
      } else {
        kept.append(text.charAt(at));
        at++;
      }
    }
    return at;
  }

  /**
   * The next end of a sentence and the next VALUES. Both are kept while they are ahead: a text may
   * quote thousands of short statements before them, and must not be searched for each.
   */
  private static final class Ahead {
    private final CharSequence text;
    private final Matcher values;
    private int end = -1;
    private int valuesStart = -1;
    private int valuesEnd = -1;

    Ahead(CharSequence text) {
      this.text = text;
      this.values = VALUES.matcher(text);
    }

    int end(int from) {
      if (end < from) {
        end = ValueEnds.section(text, from);
      }
      return end;
    }

    /** The index behind the word, or the end of the sentence. */
    int values(int from) {
      int sentence = end(from);
      if (valuesStart < from) {
        boolean found = values.region(from, sentence).find();
        valuesStart = found ? values.start() : sentence;
        valuesEnd = found ? values.end() : sentence;
      }
      return valuesEnd;
    }
  }

  private static char closing(char opening) {
    return switch (opening) {
      case '[' -> ']';
      case '"', '`' -> opening;
      default -> NONE;
    };
  }

  /** The index behind {@code (1, 'x'), (2, 'y')}. */
  private static int rows(CharSequence text, int from, int end) {
    int depth = 0;
    int at = from;
    while (at < end) {
      char c = text.charAt(at);
      if (c == '\'') {
        at = quoted(text, at, end);
        continue;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      at++;
      if (depth == 0 && c == ')') {
        int next = at;
        while (next < end && (text.charAt(next) == ',' || text.charAt(next) <= ' ')) {
          next++;
        }
        if (next == at || next == end || text.charAt(next) != '(') {
          return at;
        }
        at = next;
      }
    }
    return end;
  }

  /** The index behind the closing quote, which is neither doubled nor escaped. */
  private static int quoted(CharSequence text, int from, int end) {
    int at = from + 1;
    while (at < end) {
      char c = text.charAt(at);
      boolean doubled = c == '\'' && at + 1 < end && text.charAt(at + 1) == '\'';
      if (c == '\\' || doubled) {
        at += 2;
      } else if (c == '\'') {
        return at + 1;
      } else {
        at++;
      }
    }
    return end;
  }
}
