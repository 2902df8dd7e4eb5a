package io.posthorn.examples.quickstart;

import io.posthorn.core.Posthorn;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.json.JsonUpcaster;
import java.math.BigDecimal;
import javax.sql.DataSource;

/** Books invoices, whose event has changed twice: messages of all versions may still arrive. */
public final class Invoices implements AutoCloseable {
  // guide:event
  @OutboxMessage(schemaVersion = 3)
  record InvoiceSent(@MessageKey("invoice") String invoice, Amount amount) {}

  record Amount(BigDecimal value, String currency) {}

  // guide:end

  // guide:earlier
  record InvoiceSentV2(String invoice, BigDecimal total, String currency) {}

  // guide:end

  private final Posthorn posthorn;

  Invoices(DataSource dataSource, EventHandler<InvoiceSent> book) {
    // guide:steps
    this.posthorn =
        Posthorn.on(dataSource)
            .application("billing")
            .environment("production")
            .migrate()
            .upcast("InvoiceSent", 1, 2, JsonUpcaster.of(json -> json.put("currency", "EUR")))
            .upcast("InvoiceSent", 2, 3, InvoiceSentV2.class, Invoices::withAmount)
            .handle("books", InvoiceSent.class, book)
            .start();
    // guide:end
  }

  // guide:convert
  private static InvoiceSent withAmount(InvoiceSentV2 old) {
    return new InvoiceSent(old.invoice(), new Amount(old.total(), old.currency()));
  }

  // guide:end

  Posthorn posthorn() {
    return posthorn;
  }

  @Override
  public void close() {
    posthorn.close();
  }
}
