package io.posthorn.examples.campuscafe.dualwrite;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class DualWriteApplication {
  public static void main(String[] args) {
    SpringApplication.run(DualWriteApplication.class, args);
  }
}
