package io.posthorn.examples.catalogue;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class CatalogueApplication {
  public static void main(String[] args) {
    SpringApplication.run(CatalogueApplication.class, args);
  }
}
