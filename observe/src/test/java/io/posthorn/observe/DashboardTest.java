package io.posthorn.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Requirements of Grafana's dashboard schema; PrometheusTest runs the queries. */
class DashboardTest {
  private static final Path REFERENCE = Path.of("../docs/reference/metrics.md");
  private static final Pattern METRIC = Pattern.compile("(?<![:\\w])(?:outbox|inbox)_[a-z_]+");

  private static List<JsonNode> panels() throws JsonProcessingException {
    List<JsonNode> panels = new ArrayList<>();
    new ObjectMapper()
        .readTree(Resources.text("dashboard.json"))
        .get("panels")
        .forEach(panels::add);
    return panels;
  }

  @Test
  void panels_have_ids_of_their_own_and_none_covers_another() throws JsonProcessingException {
    Set<Integer> ids = new HashSet<>();
    Set<List<Integer>> taken = new HashSet<>();
    for (JsonNode panel : panels()) {
      assertThat(ids.add(panel.get("id").asInt())).as(panel.toString()).isTrue();
      JsonNode place = panel.get("gridPos");
      for (int x = 0; x < place.get("w").asInt(); x++) {
        for (int y = 0; y < place.get("h").asInt(); y++) {
          List<Integer> cell = List.of(place.get("x").asInt() + x, place.get("y").asInt() + y);
          assertThat(cell.get(0)).isLessThan(24);
          assertThat(taken.add(cell)).as(panel.toString()).isTrue();
        }
      }
    }
  }

  @Test
  void panels_have_all_that_grafana_requires_of_their_options() throws JsonProcessingException {
    for (JsonNode panel : panels()) {
      JsonNode options = panel.path("options");
      if (panel.get("type").asText().equals("timeseries")) {
        assertThat(options.get("legend").fieldNames())
            .toIterable()
            .as(panel.toString())
            .contains("displayMode", "placement", "showLegend", "calcs");
      } else if (panel.get("type").asText().equals("stat")) {
        assertThat(options.at("/reduceOptions/calcs")).as(panel.toString()).isNotEmpty();
      }
    }
  }

  @Test
  void every_metric_of_the_dashboard_and_the_alerts_is_in_the_reference() throws IOException {
    String reference = Files.readString(REFERENCE);
    List<String> used =
        METRIC
            .matcher(Resources.text("dashboard.json") + Resources.text("alerts.yml"))
            .results()
            .map(MatchResult::group)
            .distinct()
            .toList();
    assertThat(used).hasSizeGreaterThan(30);
    assertThat(used)
        .allMatch(
            name ->
                reference.contains("`" + name + "`")
                    || reference.contains("`" + name.replaceFirst("_(bucket|sum|count)$", "`")));
  }
}
