package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class EmbeddedKafkaTest {
  private static EmbeddedKafka kafka;

  @BeforeAll
  static void start() {
    kafka = EmbeddedKafka.builder().start();
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  @Test
  void it_answers_directly_and_through_the_proxy() throws IOException {
    assertThat(answers(kafka.bootstrapServers())).isTrue();
    assertThat(answers(kafka.proxiedServers())).isTrue();
  }

  @Test
  void it_comes_back_on_the_same_port_after_it_was_killed() throws IOException {
    kafka.kill();
    assertThat(kafka.isRunning()).isFalse();
    kafka.start();
    assertThat(answers(kafka.bootstrapServers())).isTrue();
  }

  @Test
  void frozen_it_says_nothing_until_it_thaws() throws IOException {
    kafka.freeze();
    assertThat(answers(kafka.bootstrapServers())).isFalse();
    kafka.thaw();
    assertThat(answers(kafka.bootstrapServers())).isTrue();
  }

  /** Requests the supported API versions, as every Kafka client does first. */
  private static boolean answers(String server) throws IOException {
    String[] parts = server.split(":", 2);
    try (Socket socket = new Socket(parts[0], Integer.parseInt(parts[1]))) {
      socket.setSoTimeout((int) Duration.ofSeconds(1).toMillis());
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      int correlation = 4711;
      out.writeInt(10);
      out.writeShort(18);
      out.writeShort(0);
      out.writeInt(correlation);
      out.writeShort(-1);
      out.flush();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      return in.readInt() > 4 && in.readInt() == correlation;
    } catch (SocketTimeoutException e) {
      return false;
    }
  }
}
