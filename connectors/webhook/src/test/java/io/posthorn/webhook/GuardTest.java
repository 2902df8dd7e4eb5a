package io.posthorn.webhook;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.testkit.TestMessages;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A webhook reaches public addresses, and others only if the configuration allows them. */
class GuardTest {
  private final Endpoint endpoint = new Endpoint();

  @AfterEach
  void close() {
    endpoint.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "2130706433",
        "127.1",
        "168.63.129.16",
        "169.254.169.254",
        "169.254.170.2",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:0:7f00:1::",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fd12:3456::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
        "4000::1"
      })
  void an_address_that_is_not_public_is_forbidden(String literal) throws UnknownHostException {
    assertThat(new NetworkGuard(List.of()).allows(InetAddress.getByName(literal))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.1.1.1",
        "8.8.8.8",
        "93.184.216.34",
        "100.63.255.255",
        "100.128.0.0",
        "11.0.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.1",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "169.253.255.255",
        "168.63.129.17",
        "2606:4700::1111",
        "2a00:1450::1",
        "2001:4860:4860::8888",
        "2003::1"
      })
  void a_public_address_is_allowed(String literal) throws UnknownHostException {
    assertThat(new NetworkGuard(List.of()).allows(InetAddress.getByName(literal))).isTrue();
  }

  @Test
  void a_private_network_is_reached_only_where_it_is_allowed() throws UnknownHostException {
    NetworkGuard guard = new NetworkGuard(List.of("10.1.0.0/17", "fd00::/8"));
    assertThat(guard.allows(InetAddress.getByName("10.1.127.255"))).isTrue();
    assertThat(guard.allows(InetAddress.getByName("10.1.128.0"))).isFalse();
    assertThat(guard.allows(InetAddress.getByName("fd12::1"))).isTrue();
    assertThat(guard.allows(InetAddress.getByName("fc12::1"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "127.0.0.1", "2130706433", "[::1]", "0.0.0.0"})
  void nothing_is_sent_to_this_machine_unless_it_is_allowed(String host) {
    WebhookConfig.Builder config =
        Sent.to("http://%s:%d/".formatted(host, endpoint.port())).allowNetworks();
    assertThat(Sent.text(Sent.once(config, message("m"))))
        .isEqualTo("Unavailable FORBIDDEN_ADDRESS");
    assertThat(endpoint.requests).isEmpty();
  }

  /** A name server with prepared answers. */
  private static class Names implements DnsResolver {
    final Deque<List<String>> answers = new ArrayDeque<>();
    int asked;

    Names(List<List<String>> answers) {
      this.answers.addAll(answers);
    }

    @Override
    public synchronized InetAddress[] resolve(String host) throws UnknownHostException {
      asked++;
      List<String> answer = answers.size() > 1 ? answers.remove() : answers.peek();
      InetAddress[] addresses = new InetAddress[answer.size()];
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = InetAddress.getByName(answer.get(i));
      }
      return addresses;
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }

  private WebhookConnector connector(Names names) {
    return new WebhookConnector(
        Sent.to("http://shop.example:" + endpoint.port() + "/hooks")
            .allowNetworks("127.0.0.1/32")
            .build(),
        names);
  }

  @Test
  void one_forbidden_address_among_several_forbids_the_host() {
    try (WebhookConnector connector =
        connector(new Names(List.of(List.of("127.0.0.1", "10.0.0.1"))))) {
      assertThat(Sent.text(Sent.once(connector, message("m"))))
          .isEqualTo("Unavailable FORBIDDEN_ADDRESS");
      assertThat(connector.check()).anyMatch(finding -> finding.problem());
    }
    assertThat(endpoint.requests).isEmpty();
  }

  @Test
  void a_name_server_that_hangs_delays_no_other_and_nothing_is_sent_late() throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    Names names =
        new Names(List.of(List.of("127.0.0.1"))) {
          @Override
          public synchronized InetAddress[] resolve(String host) throws UnknownHostException {
            try {
              hanging.await();
            } catch (InterruptedException e) {
              throw new UnknownHostException(host);
            }
            return super.resolve(host);
          }
        };
    try (WebhookConnector connector = connector(names)) {
      CompletableFuture<Outcome> first = new CompletableFuture<>();
      CompletableFuture<Outcome> second = new CompletableFuture<>();
      connector.send(List.of(message("1")), (index, outcome) -> first.complete(outcome));
      connector.send(List.of(message("2")), (index, outcome) -> second.complete(outcome));
      assertThat(Sent.text(first.join())).isEqualTo("Unavailable TIMEOUT");
      assertThat(Sent.text(second.join())).isEqualTo("Unavailable TIMEOUT");
      hanging.countDown();
      assertThat(Sent.once(connector, message("3"))).isEqualTo(Outcome.SENT);
    }
    assertThat(endpoint.accepted().stream().map(TestMessages::content)).doesNotContain("2");
  }

  @Test
  void the_address_that_was_checked_is_the_one_that_is_connected_to() throws UnknownHostException {
    // A second lookup of the name would return another server.
    Endpoint other = endpoint.at(InetAddress.getByAddress(new byte[] {127, 0, 0, 2}));
    Names names = new Names(List.of(List.of("127.0.0.1"), List.of("127.0.0.2")));
    endpoint.reply(request -> new Endpoint.Reply(204, Map.of("Connection", "close"), ""));
    try (other;
        WebhookConnector connector = connector(names)) {
      assertThat(Sent.once(connector, message("1"))).isEqualTo(Outcome.SENT);
      assertThat(names.asked).isEqualTo(1);
      assertThat(endpoint.requests.peek().headers())
          .containsEntry("host", "shop.example:" + endpoint.port());
      assertThat(Sent.text(Sent.once(connector, message("2"))))
          .isEqualTo("Unavailable FORBIDDEN_ADDRESS");
    }
    assertThat(endpoint.requests).hasSize(1);
    assertThat(other.requests).isEmpty();
  }
}
