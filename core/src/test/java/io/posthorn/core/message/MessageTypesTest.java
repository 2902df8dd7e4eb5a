package io.posthorn.core.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What classes of events say about their messages. */
class MessageTypesTest {
  record Placed(@MessageKey("order") String order, int total) {}

  record Noted(String text) {}

  @OutboxMessage(type = "orders.Paid", schemaVersion = 3)
  record PaymentEvent(@MessageKey("order") UUID order) {}

  /** The accessor is written out, so it does not inherit the annotation of the component. */
  record Trimmed(@MessageKey("order") String order) {
    @Override
    public String order() {
      return order.trim();
    }
  }

  @OutboxMessage
  static class Shipped {
    @MessageKey("order")
    String order() {
      return "o-7";
    }
  }

  record TwoKeys(@MessageKey("order") String order, @MessageKey("customer") String customer) {}

  @OutboxMessage
  static class KeyOfNothing {
    @MessageKey("order")
    void order() {}
  }

  static class Plain {}

  interface AccountEvent {
    UUID account();
  }

  record Opened(UUID account) implements AccountEvent {}

  interface CustomerEvent {
    @MessageKey("customer")
    String customer();
  }

  record Billed(String customer) implements CustomerEvent {}

  private static final PayloadWriter TEXT = event -> event.toString().getBytes(UTF_8);

  private final MessageTypes types = MessageTypes.learning();

  @Test
  void the_type_of_a_record_is_its_simple_name_and_its_key_the_annotated_component() {
    Message message = types.message(new Placed("o-1", 7), TEXT).build();
    assertThat(message.type()).isEqualTo("Placed");
    assertThat(message.schemaVersion()).isEqualTo(1);
    assertThat(message.key()).isEqualTo(Key.of("order", "o-1"));
  }

  @Test
  void a_record_without_an_annotated_component_has_no_key() {
    assertThat(types.message(new Noted("x"), TEXT).build().key()).isNull();
  }

  @Test
  void the_annotation_names_the_type_and_its_version() {
    UUID order = UUID.randomUUID();
    Message message = types.message(new PaymentEvent(order), TEXT).build();
    assertThat(message.type()).isEqualTo("orders.Paid");
    assertThat(message.schemaVersion()).isEqualTo(3);
    assertThat(message.key()).isEqualTo(Key.of("order", order.toString()));
  }

  @Test
  void the_key_is_read_by_an_accessor_that_is_written_out() {
    assertThat(types.message(new Trimmed(" o-1 "), TEXT).build().key())
        .isEqualTo(Key.of("order", "o-1"));
  }

  @Test
  void a_class_has_its_key_in_a_method() {
    assertThat(types.message(new Shipped(), TEXT).build().key()).isEqualTo(Key.of("order", "o-7"));
  }

  @Test
  void an_event_whose_key_is_null_is_refused_because_it_would_lose_its_order() {
    assertThatThrownBy(() -> types.message(new Placed(null, 7), TEXT))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("POSTHORN-002")
        .hasMessageContaining("order() is null");
  }

  @Test
  void contradictions_are_found_when_a_class_is_registered() {
    assertThatThrownBy(() -> MessageType.of(TwoKeys.class))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("several components or methods with @MessageKey");
    assertThatThrownBy(() -> MessageType.of(KeyOfNothing.class))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("must have no parameters, return the id");
  }

  @Test
  void a_class_without_annotations_gets_its_key_from_a_function() {
    MessageType type = MessageType.of(Noted.class, "note", Noted::text);
    Message message = MessageTypes.of(type).message(new Noted("n-1"), TEXT).build();
    assertThat(message.key()).isEqualTo(Key.of("note", "n-1"));
  }

  @Test
  void a_class_that_was_learnt_is_not_registered() {
    MessageTypes both = MessageTypes.learning(MessageType.named("Noted").from(Plain.class));
    both.of(Placed.class);
    assertThat(both.registered(Plain.class)).isPresent();
    assertThat(both.registered(Placed.class)).isEmpty();
  }

  @Test
  void a_rule_gives_all_events_of_an_interface_their_key() {
    UUID account = UUID.randomUUID();
    types.keyedBy(AccountEvent.class, "account", AccountEvent::account);
    assertThat(types.message(new Opened(account), TEXT).build().key())
        .isEqualTo(Key.of("account", account.toString()));
    assertThat(types.message(new Noted("x"), TEXT).build().key()).isNull();
  }

  @Test
  void a_rule_applies_to_types_that_were_registered_before_it() {
    MessageTypes registered =
        MessageTypes.of(MessageType.named("account.Opened").from(Opened.class))
            .keyedBy(AccountEvent.class, "account", AccountEvent::account);
    Message message = registered.message(new Opened(UUID.randomUUID()), TEXT).build();
    assertThat(message.type()).isEqualTo("account.Opened");
    assertThat(message.key()).isNotNull();
  }

  @Test
  void an_event_with_two_keys_is_refused_when_the_rule_is_set() {
    assertThatThrownBy(() -> types.keyedBy(Placed.class, "order", Placed::order))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("POSTHORN-015")
        .hasMessageContaining("type 'Placed'")
        .hasMessageContaining("keyedBy(Placed.class, …)");
    types.keyedBy(AccountEvent.class, "account", AccountEvent::account);
    assertThatThrownBy(() -> types.keyedBy(Opened.class, "account", Opened::account))
        .hasMessageContaining("it has one already");
  }

  @Test
  void a_key_by_a_rule_that_is_null_is_refused() {
    types.keyedBy(AccountEvent.class, "account", AccountEvent::account);
    assertThatThrownBy(() -> types.message(new Opened(null), TEXT))
        .hasMessageContaining("POSTHORN-002")
        .hasMessageContaining("the key 'account'");
  }

  @Test
  void a_record_has_the_key_that_its_interface_declares() {
    assertThat(types.message(new Billed("c-1"), TEXT).build().key())
        .isEqualTo(Key.of("customer", "c-1"));
  }

  @Test
  void only_learning_types_know_a_class_that_nobody_registered() {
    assertThat(types.of(Placed.class)).map(MessageType::name).contains("Placed");
    assertThat(MessageTypes.of().of(Placed.class)).isEmpty();
    assertThatThrownBy(() -> MessageTypes.of().message(new Placed("o-1", 7), TEXT))
        .hasMessageContaining("POSTHORN-001")
        .hasMessageContaining("MessageType.of(Placed.class)");
  }

  @Test
  void any_other_object_is_no_event() {
    assertThatThrownBy(() -> types.message(new Plain(), TEXT))
        .hasMessageContaining("POSTHORN-001")
        .hasMessageContaining("Make it a record, or annotate it with @OutboxMessage");
  }

  @Test
  void what_is_registered_comes_before_what_a_class_says() {
    MessageTypes registered =
        MessageTypes.learning(MessageType.named("OrderPlaced").from(Placed.class));
    Message message = registered.message(new Placed("o-1", 7), TEXT).build();
    assertThat(message.type()).isEqualTo("OrderPlaced");
    assertThat(message.key()).isNull();
  }

  @Test
  void two_classes_of_one_type_are_refused_by_name() {
    MessageTypes registered = MessageTypes.learning(MessageType.named("Noted").from(Plain.class));
    assertThatThrownBy(() -> registered.of(Noted.class))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("type 'Noted' was not registered")
        .hasMessageContaining(Plain.class.getName());
  }

  @Test
  void a_name_that_nobody_registered_is_still_refused() {
    assertThatThrownBy(() -> types.check(Message.of("Plcaed").build()))
        .hasMessageContaining("POSTHORN-001");
  }
}
