package io.posthorn.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Messages as clients, libraries and drivers without a store write them, and what the sanitiser
 * keeps of each: all that helps to find the fault, and nothing of a person or a secret. Persons are
 * called anna here, secrets s3cr3t. The messages of a store's database are in the store's tests.
 */
class SanitiserTableTest {
  private static final String DATABASES =
      """
      (conn=7) Duplicate entry 'anna' for key 'b' for key 'customer.email'
      (conn=7) Duplicate entry *** for key 'customer.email'

      Data truncation: Incorrect datetime value: 'it's anna' for column 'born' at row 1
      Data truncation: Incorrect datetime value: *** for column 'born' at row 1

      Truncated incorrect DOUBLE value: 'anna'
      Truncated incorrect DOUBLE value: ***

      You have an error in your SQL syntax; check the manual for the right syntax to use near 'anna' at line 1
      You have an error in your SQL syntax; check the manual for the right syntax to use near *** at line 1

      Query is: INSERT INTO t VALUES (?), parameters ['anna']
      Query is: ***

      Unknown column 'emial' in 'field list'
      Unknown column 'emial' in 'field list'

      PreparedStatementCallback; SQL [insert into t (a, b) values ('it''s anna', 17)]; constraint [t_pkey]
      PreparedStatementCallback; SQL [insert into t (a, b) values ***]; constraint [t_pkey]

      SQL [SELECT 'anna' AS x FROM customer WHERE name = 'anna']; Unknown column 'x'
      SQL [SELECT *** AS x FROM customer WHERE name = ***]; Unknown column 'x'

      Stop all writers, run SELECT setval('public.posthorn_seq', 8), and adopt again
      Stop all writers, run SELECT setval('public.posthorn_seq', 8), and adopt again

      SQL [update customer set name = 'anna' where id = 7]; Unknown column 'x'
      SQL [update customer set name = *** where id = 7]; Unknown column 'x'
      """;

  private static final String LANGUAGES =
      """
      FEHLER: ungültiger Eingabewert für Enum mood: »anna müller«
      FEHLER: ungültiger Eingabewert für Enum mood: »***«

      ERREUR: tableau littéral mal formé : « {anna »⏎  Position: 7
      ERREUR: tableau littéral mal formé : «***»⏎  Position: 7

      ERROR: el valor «an»na» está fuera de rango para el tipo integer
      ERROR: el valor «***» está fuera de rango para el tipo integer

      Kunde „anna“ ist gesperrt
      Kunde „***“ ist gesperrt

      Klient „anna” jest zablokowany
      Klient „***” jest zablokowany

      customer “anna” is blocked
      customer “***” is blocked

      Wert »anna
      Wert »***

      FEHLER: doppelter Schlüsselwert verletzt Unique-Constraint »customer_email_key«
      FEHLER: doppelter Schlüsselwert verletzt Unique-Constraint »customer_email_key«

      la nouvelle ligne viole la contrainte de vérification « adult »
      la nouvelle ligne viole la contrainte de vérification « adult »
      """;

  private static final String CLIENTS =
      """
      Unrecognized token 'anna': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')⏎ at [Source: (String)"{"email":"anna"}"; line: 1, column: 7]
      Unrecognized token ***: was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')⏎ at [Source: (String)***; line: 1, column: 7]

      Unexpected end-of-input at [Source: (byte[])"{"a":"anna"[truncated 500 bytes]; line: 1, column: 7]
      Unexpected end-of-input at [Source: (byte[])***[truncated 500 bytes]; line: 1, column: 7]

      Cannot deserialize value of type `java.util.UUID` from String "anna": UUID has to be 36 characters (through reference chain: shop.Placed["buyer"])
      Cannot deserialize value of type `java.util.UUID` from String ***: UUID has to be 36 characters (through reference chain: shop.Placed["buyer"])

      no String-argument constructor/factory method to deserialize from String value ('anna')
      no String-argument constructor/factory method to deserialize from String value (***)

      Numeric value (4917012345678) out of range of int (-2147483648 - 2147483647)
      Numeric value (***) out of range of int (-2147483648 - 2147483647)

      Unrecognized field "emial" (class shop.Placed), not marked as ignorable (2 known properties: "id", "email"])
      Unrecognized field "emial" (class shop.Placed), not marked as ignorable (2 known properties: "id", "email"])

      java.lang.NumberFormatException: For input string: "anna"
      java.lang.NumberFormatException: For input string: ***

      Text 'anna' could not be parsed at index 0
      Text *** could not be parsed at index 0

      Invalid UUID string: anna
      Invalid UUID string: ***

      Illegal character in path at index 20: https://example.org/anna müller
      Illegal character in path at index 20: ***

      No enum constant shop.Order.Color.anna
      No enum constant shop.Order.***

      Invalid value anna for configuration linger.ms: Not a number of type LONG
      Invalid value *** for configuration linger.ms: Not a number of type LONG

      mail to anna.meier+x@mail.example.org bounced
      mail to *** bounced

      400 Bad Request on POST request for "https://api.example.org/v1/orders?name=anna&page=1": "{"code":7}"
      400 Bad Request on POST request for "https://api.example.org/v1/orders?***": "{"code":7}"

      RecordTooLargeException: The message is 2000000 bytes when serialized which is larger than 1048576
      RecordTooLargeException: The message is 2000000 bytes when serialized which is larger than 1048576

      channel error; reply-code=404, reply-text=NOT_FOUND - no exchange 'orders' in vhost '/', class-id=60
      channel error; reply-code=404, reply-text=NOT_FOUND - no exchange 'orders' in vhost '/', class-id=60

      io.posthorn.core.relay.Relay@1b2c3d was closed, order 7 of customer 8 was not sent
      io.posthorn.core.relay.Relay@1b2c3d was closed, order 7 of customer 8 was not sent
      """;

  private static final String CREDENTIALS =
      """
      amqp://user:s3/cr3t@host:5672/v
      amqp://***@host:5672/v

      https://example.org:8443/a@b
      https://example.org:8443/a@b

      jdbc:oracle:thin:scott/s3cr3t@//host:1521/x
      jdbc:oracle:thin:***@//host:1521/x

      jdbc:sqlserver://h;user=sa;password=s3cr3t;encrypt=true
      jdbc:sqlserver://h;user=sa;password=***;encrypt=true

      POST https://hooks.example.org/services/T024BE7LD/xoxs3cr3tA7xoxs3cr3tA7 failed
      POST https://hooks.example.org/services/T024BE7LD/*** failed

      headers={Accept=[*/*], Authorization=[Bearer s3cr3t], Cookie=[a=s3cr3t; b=s3cr3t], Host=[h]}
      headers={Accept=[*/*], Authorization=[***], Cookie=[***], Host=[h]}

      Set-Cookie: session=s3cr3t; Path=/⏎Date: now
      Set-Cookie: ***⏎Date: now

      Authorization: Digest username="u", response="s3cr3t"⏎Date: now
      Authorization: ***⏎Date: now

      refused Bearer s3cr3t.s3cr3t-S3
      refused Bearer ***

      Bearer authentication is required, Basic authentication is off
      Bearer authentication is required, Basic authentication is off

      got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzM2NyM3QifQ.s3cr3t-sig here
      got *** here

      the key AKIAIOSFODNN7EXAMPLE is not known
      the key *** is not known

      aws_secret_access_key = s3cr3t/abc
      aws_secret_access_key = ***

      X-Amz-Signature=s3cr3t&X-Amz-Expires=60
      X-Amz-Signature=***&X-Amz-Expires=60

      cannot read -----BEGIN PRIVATE KEY-----⏎s3cr3t⏎s3cr3t⏎-----END PRIVATE KEY----- of a
      cannot read -----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY----- of a

      {\\"password\\":\\"s3cr3t\\",\\"a\\":1}
      {\\"password\\":***,\\"a\\":1}

      {"password": "s3\\"cr3t", "a": 1}
      {"password": ***, "a": 1}

      <password>s3cr3t</password>
      <password>***</password>

      password="s3cr3t and no end
      password=***

      ghp_s3cr3tS3cr3tS3cr3tS3cr3t00 and xoxb-123-s3cr3t and sk_live_s3cr3tS3cr3t
      *** and *** and ***

      the token of relay 'relay-1' is 17, lane 3
      the token of relay 'relay-1' is 17, lane 3

      POSTHORN-003: message 'OrderPlaced' was not added: the connection is in auto-commit mode
      POSTHORN-003: message 'OrderPlaced' was not added: the connection is in auto-commit mode
      """;

  record Row(String said, String kept) {
    @Override
    public String toString() {
      return said;
    }
  }

  static Stream<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String table : List.of(DATABASES, LANGUAGES, CLIENTS, CREDENTIALS)) {
      for (String pair : table.split("\n\n")) {
        String[] lines = pair.strip().replace('⏎', '\u0001').split("\n");
        assertThat(lines).as(pair).hasSize(2);
        rows.add(new Row(lines[0].replace('\u0001', '\n'), lines[1].replace('\u0001', '\n')));
      }
    }
    return rows.stream();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void what_helps_is_kept_and_persons_and_secrets_are_not(Row row) {
    String cleaned = Sanitiser.clean(row.said);
    assertThat(cleaned).isEqualTo(row.kept);
    assertThat(cleaned).doesNotContain("anna", "s3cr3t");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void what_is_clean_stays_as_it_is(Row row) {
    assertThat(Sanitiser.clean(row.kept)).isEqualTo(row.kept);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void in_a_stack_trace_it_is_the_same(Row row) {
    String frames = "\n\tat shop.Placed.handle(Placed.java:7)\n\t... 3 more";
    assertThat(Sanitiser.clean("java.lang.X: " + row.said + frames))
        .isEqualTo("java.lang.X: " + row.kept + frames);
  }
}
