package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.List;
import org.junit.jupiter.api.Test;

class EmbeddedRabbitMqTest {
  /** Sends the greeting of a client, and returns the first byte of the answer. */
  private static int greet(EmbeddedRabbitMq rabbit) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(Ports.loopback(rabbit.port()));
      socket.setSoTimeout(500);
      socket.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
      return socket.getInputStream().read();
    }
  }

  @Test
  void it_can_be_frozen_killed_and_started_again_and_leaves_nothing_behind() throws Exception {
    List<Long> before = Processes.children(ProcessHandle.current().pid());
    try (EmbeddedRabbitMq rabbit = EmbeddedRabbitMq.builder().start()) {
      assertThat(greet(rabbit)).isEqualTo(1);
      rabbit.freeze();
      assertThatThrownBy(() -> greet(rabbit)).isInstanceOf(SocketTimeoutException.class);
      rabbit.thaw();
      rabbit.control("add_user", "someone", "secret");
      rabbit.kill();
      assertThatThrownBy(() -> greet(rabbit)).isInstanceOf(IOException.class);
      rabbit.start();
      assertThat(greet(rabbit)).isEqualTo(1);
      assertThatThrownBy(() -> rabbit.control("add_user", "someone", "secret"))
          .as("what it keeps survives")
          .hasMessageContaining("already exists");
    }
    assertThat(Processes.children(ProcessHandle.current().pid())).isEqualTo(before);
  }

  @Test
  void one_that_does_not_start_says_why() {
    assertThatThrownBy(() -> EmbeddedRabbitMq.builder().setting("no_such_thing", "1").start())
        .hasMessageContaining("did not start")
        .hasMessageContaining("no_such_thing");
  }

  @Test
  void a_missing_program_is_named_with_its_package_and_variable() {
    System.setProperty("posthorn.rabbitmq", "/nowhere/rabbitmq-server");
    try {
      assertThatThrownBy(() -> EmbeddedRabbitMq.builder().start())
          .hasMessageContaining("/nowhere/rabbitmq-server")
          .hasMessageContaining("apt-get install rabbitmq-server")
          .hasMessageContaining("POSTHORN_RABBITMQ");
    } finally {
      System.clearProperty("posthorn.rabbitmq");
    }
  }
}
