package io.posthorn.examples.catalogue;

import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;

/** The application with all servers embedded, and a road on which each message comes twice. */
public class TryCatalogue {
  public static void main(String[] args) {
    Stream<String> servers =
        Outside.start().properties().entrySet().stream()
            .map(property -> "--%s=%s".formatted(property.getKey(), property.getValue()));
    SpringApplication.from(CatalogueApplication::main)
        .with(FirstProducts.class)
        .run(
            Stream.of(
                    Stream.of(
                        "--server.address=127.0.0.1", "--spring.main.register-shutdown-hook=false"),
                    servers,
                    Stream.of(args))
                .flatMap(arguments -> arguments)
                .toArray(String[]::new));
  }
}
