package io.posthorn.examples.quickstart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.examples.quickstart.Invoices.Amount;
import io.posthorn.examples.quickstart.Invoices.InvoiceSent;
import io.posthorn.testservers.EmbeddedPostgres;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class InvoicesTest {
  private final EmbeddedPostgres postgres = EmbeddedPostgres.shared();
  private final DataSource dataSource = postgres.dataSource(postgres.freshDatabase());
  private final Queue<String> booked = new ConcurrentLinkedQueue<>();

  private Invoices invoices() {
    return new Invoices(
        dataSource,
        (sent, handling) -> booked.add(handling.schemaVersion() + ": " + sent.amount()));
  }

  private static Message version1(String json) {
    return Message.of("InvoiceSent").json(json.getBytes(UTF_8)).build();
  }

  @Test
  void invoices_of_all_versions_are_booked() throws SQLException {
    try (Invoices invoices = invoices()) {
      invoices
          .posthorn()
          .inTransaction(
              tx -> {
                invoices.posthorn().add(tx, version1("{\"invoice\":\"i-1\",\"total\":19.90}"));
                invoices
                    .posthorn()
                    .add(tx, new InvoiceSent("i-2", new Amount(new BigDecimal("5.00"), "CHF")));
              });
      await()
          .untilAsserted(
              () ->
                  assertThat(booked)
                      .containsExactlyInAnyOrder(
                          "1: Amount[value=19.90, currency=EUR]",
                          "3: Amount[value=5.00, currency=CHF]"));
    }
  }

  @Test
  void a_payload_that_does_not_match_the_schema_of_its_version_is_not_added() {
    try (Invoices invoices = invoices()) {
      Message wrong = version1("{\"invoice\":\"i-1\",\"total\":\"secret\"}");
      assertThatThrownBy(
              () -> invoices.posthorn().inTransaction(tx -> invoices.posthorn().add(tx, wrong)))
          .isInstanceOf(PosthornException.class)
          .hasMessageContaining(
              "the payload does not match the schema of version 1 of 'InvoiceSent': /total (type number)")
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void the_code_in_the_guide_is_this_code() throws Exception {
    Path root = Path.of("").toAbsolutePath().getParent().getParent();
    String guide = withoutSpace(Files.readString(root.resolve("docs/guide/versions.md")));
    String source =
        Files.readString(Path.of("src/main/java/io/posthorn/examples/quickstart/Invoices.java"));
    List<String> regions =
        Pattern.compile("// guide:\\w+\\n(.*?)// guide:end", Pattern.DOTALL)
            .matcher(source)
            .results()
            .map(region -> withoutSpace(region.group(1)))
            .toList();
    assertThat(regions).hasSize(4);
    assertThat(List.of(guide)).allSatisfy(text -> assertThat(text).contains(regions));
    assertThat(guide)
        .contains(
            withoutSpace(
                Files.readString(
                    Path.of("src/main/resources/posthorn/schemas/InvoiceSent.1.json"))));
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s+", "");
  }
}
