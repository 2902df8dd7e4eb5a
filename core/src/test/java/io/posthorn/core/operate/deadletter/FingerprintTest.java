package io.posthorn.core.operate.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import org.junit.jupiter.api.Test;

class FingerprintTest {
  private static String of(String text) {
    return Fingerprint.of(Reason.of("HTTP_500", text));
  }

  @Test
  void what_differs_from_message_to_message_does_not_matter() {
    assertThat(of("order 17 at 10.0.0.1:8080 failed for anna@example.org: 'red shoes'"))
        .isEqualTo(of("order 4711 at 192.168.7.9:9 failed for ben@example.com: 'a hat'"));
    assertThat(of("no row 018f0c3e-7b1a-7c3d-9e4f-0123456789ab"))
        .isEqualTo(of("no row 018f0c3e-7b1a-7c3d-9e4f-ba9876543210"));
    assertThat(of("took 1.5 s,\n  limit 1")).isEqualTo(of("took 22.75 s, limit 20"));
  }

  @Test
  void what_happened_and_where_does() {
    assertThat(of("connection refused")).isNotEqualTo(of("connection reset"));
    assertThat(Fingerprint.of(Reason.of("A", "x")))
        .isNotEqualTo(Fingerprint.of(Reason.of("B", "x")));
    String here = "E: x\n\tat a.B.c(B.java:1)\n\tat d.E.f(E.java:2)";
    String moved = "E: x\n\tat a.B.c(B.java:9)\n\tat d.E.f(E.java:8)";
    String elsewhere = "E: x\n\tat a.B.other(B.java:1)\n\tat d.E.f(E.java:2)";
    assertThat(Fingerprint.of("C", "x", here)).isEqualTo(Fingerprint.of("C", "x", moved));
    assertThat(Fingerprint.of("C", "x", here)).isNotEqualTo(Fingerprint.of("C", "x", elsewhere));
  }
}
