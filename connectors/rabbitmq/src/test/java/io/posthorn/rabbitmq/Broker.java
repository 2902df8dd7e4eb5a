package io.posthorn.rabbitmq;

import io.posthorn.testservers.EmbeddedRabbitMq;
import io.posthorn.testservers.Ports;
import java.nio.file.Files;
import java.nio.file.Path;

/** The broker that all tests share; a test undoes what it does to the broker. */
final class Broker {
  /** In bytes; for a larger message the broker closes the channel. */
  static final int LARGEST = 4 << 20;

  private static Broker shared;

  final EmbeddedRabbitMq server;
  final int tlsPort = Ports.free();
  final Certificate certificate;
  final Certificate trustedClient;

  private Broker() {
    try {
      Path directory = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "tls");
      certificate = Certificate.of(directory, "localhost");
      trustedClient = Certificate.of(directory, "client");
      server =
          EmbeddedRabbitMq.builder()
              .setting("max_message_size", Integer.toString(LARGEST))
              .setting("listeners.ssl.1", "127.0.0.1:" + tlsPort)
              .setting("ssl_options.certfile", certificate.certificateFile(directory).toString())
              .setting("ssl_options.keyfile", certificate.keyFile(directory).toString())
              .setting("ssl_options.cacertfile", trustedClient.authorityFile(directory).toString())
              .setting("ssl_options.verify", "verify_peer")
              .setting("ssl_options.fail_if_no_peer_cert", "true")
              .start();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static synchronized Broker shared() {
    if (shared == null) {
      shared = new Broker();
    }
    return shared;
  }
}
