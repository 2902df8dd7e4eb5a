package io.posthorn.examples.catalogue;

import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;

/** The application with all servers embedded, and a road on which each message comes twice. */
public class TryCatalogue {
  static final Outside OUTSIDE = Outside.start();

  public static void main(String[] args) {
    Stream<String> servers =
        OUTSIDE.properties().entrySet().stream()
            .map(property -> "--%s=%s".formatted(property.getKey(), property.getValue()));
    SpringApplication.from(CatalogueApplication::main)
        .with(FirstProducts.class, Road.class)
        .run(
            Stream.of(
                    Stream.of(
                        "--server.address=127.0.0.1",
                        "--logging.level.root=warn", // Tomcat's, by java.util.logging
                        "--spring.main.banner-mode=off",
                        "--spring.main.log-startup-info=false",
                        "--spring.main.register-shutdown-hook=false"),
                    servers,
                    Stream.of(args))
                .flatMap(arguments -> arguments)
                .toArray(String[]::new));
  }
}
