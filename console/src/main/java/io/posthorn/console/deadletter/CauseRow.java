package io.posthorn.console.deadletter;

import io.posthorn.api.mask.PayloadView;
import io.posthorn.console.chart.Bars;
import io.posthorn.console.page.Links;
import io.posthorn.core.operate.deadletter.Cause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cause as a row.
 *
 * @param error the error of its newest letter, as the viewer may see it
 */
public record CauseRow(Cause cause, @Nullable String error, Bars bars, String href) {
  private static final int DAYS = 14;

  static List<CauseRow> of(List<Cause> causes, PayloadView view, Links links) {
    return causes.stream()
        .map(
            cause ->
                new CauseRow(
                    cause,
                    error(cause, view),
                    Bars.of(cause.perDay(), DAYS),
                    links.cause(cause.fingerprint())))
        .toList();
  }

  /** Masked as the strictest of its types asks for. */
  static @Nullable String error(Cause cause, PayloadView view) {
    String type =
        cause.types().stream()
            .filter(view::hasRules)
            .findFirst()
            .orElse(cause.types().isEmpty() ? "" : cause.types().get(0));
    return view.error(cause.error(), type);
  }
}
