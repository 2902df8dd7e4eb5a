package io.posthorn.examples.registration;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class RegistrationApplication {
  public static void main(String[] args) {
    SpringApplication.run(RegistrationApplication.class, args);
  }
}
