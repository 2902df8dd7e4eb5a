package io.posthorn.console.deadletter;

import io.posthorn.api.mask.PayloadView;
import io.posthorn.console.page.Badge;
import io.posthorn.core.operate.deadletter.DeadLetter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter as a row.
 *
 * @param error as the viewer may see it
 */
public record LetterRow(DeadLetter letter, Badge badge, @Nullable String error) {
  static List<LetterRow> of(List<DeadLetter> letters, PayloadView view) {
    return letters.stream()
        .map(
            letter ->
                new LetterRow(letter, Badge.of(letter), view.error(letter.error(), letter.type())))
        .toList();
  }
}
