package io.posthorn.postgresql.schema;

import static io.posthorn.testkit.TestMessages.key;
import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.story.MessagePage;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.store.MessageStory;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * The indexes for finding by key and correlation id can be left out, and added while writers write.
 */
class FindingLaterTest {
  private static final String INDEXES =
      "SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'posthorn_log%' ORDER BY indexname";

  private static DataSource migrated(Migrations migrations) {
    var server = TestServer.newest().postgres();
    DataSource dataSource = server.dataSource(server.freshDatabase());
    migrations.migrate(dataSource);
    return dataSource;
  }

  private static List<String> indexes(DataSource dataSource) {
    return Jdbc.query(dataSource, INDEXES, row -> row.getString(1));
  }

  @Test
  void without_it_everything_is_found_by_walking_and_with_it_by_look_up() {
    Migrations all = new Migrations(Tables.DEFAULT);
    DataSource with = migrated(all);
    DataSource without = migrated(all.withoutFinding());
    assertThat(indexes(without)).hasSize(indexes(with).size() - 2 * (1 + Ring.LEAVES));
    TestLanes lanes = new TestLanes(without);
    PostgresqlStore store = lanes.store();
    store.verify("test");
    Message one = Message.of("T").key(key("k").aggregateType(), "k").correlationId("c").build();
    lanes.add(keyed("k", "0"), keyed("l", "1"), one, keyed("k", "2"));

    MessageQuery byKey = MessageQuery.of(key("k"));
    MessageQuery byCorrelation = MessageQuery.builder().correlationId("c").build();
    assertFound(store, byKey, 3, true);
    assertFound(store, byCorrelation, 1, true);
    assertNeighbours(store, one);
    assertThat(store.examine(Examination.DEFAULT))
        .filteredOn(found -> found.code().equals(DoctorCheck.INDEXES.name()))
        .extracting(Diagnosis::severity)
        .containsExactly(Severity.OK);

    all.finding().forEach(statement -> Jdbc.execute(without, statement));
    all.finding().stream()
        .filter(statement -> statement.startsWith("CREATE"))
        .forEach(again -> Jdbc.execute(without, again));
    assertThat(indexes(without)).isEqualTo(indexes(with));
    assertFound(store, byKey, 3, false);
    assertFound(store, byCorrelation, 1, false);
    assertNeighbours(store, one);
  }

  private static void assertFound(
      PostgresqlStore store, MessageQuery query, int messages, boolean walked) {
    MessagePage page = store.messages(query, null, 10);
    assertThat(page.messages()).hasSize(messages);
    assertThat(page.walked()).isEqualTo(walked);
  }

  private static void assertNeighbours(PostgresqlStore store, Message one) {
    MessageStory story = store.find(one.id()).orElseThrow();
    assertThat(story.before()).isNotNull();
    assertThat(story.after()).isNotNull();
  }
}
