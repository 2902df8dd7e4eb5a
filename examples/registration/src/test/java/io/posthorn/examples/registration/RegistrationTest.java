package io.posthorn.examples.registration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.test.PosthornTest;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** As a team would test it: stand-ins for the receivers, and the test says when to deliver. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.NONE,
    properties = "posthorn.relay.enabled=false")
class RegistrationTest {
  @RegisterExtension
  static final PosthornTest posthorn =
      PosthornTest.embedded()
          .deliversTo("welcome-mail", "UserRegistered")
          .deliversTo("bus", "UserRegistered");

  @Autowired private Registration registration;
  @Autowired private JdbcClient jdbc;

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    registry.add("spring.datasource.url", posthorn::jdbcUrl);
  }

  @BeforeEach
  void nobody_is_registered() {
    jdbc.sql("DELETE FROM app_user").update();
  }

  @Test
  void a_registration_is_for_both() {
    UUID ada = registration.register("Ada", "ada@example.org");

    assertThat(posthorn.outbox()).holdsOne("UserRegistered").withKey(ada.toString());
    posthorn.deliverAll().withoutProblems();
    assertThat(posthorn.outbox())
        .holdsOne("UserRegistered")
        .isSentTo("welcome-mail")
        .isSentTo("bus");
  }

  @Test
  void a_registration_that_fails_publishes_nothing() {
    registration.register("Ada", "ada@example.org");
    assertThatThrownBy(() -> registration.register("Another Ada", "ada@example.org"))
        .isInstanceOf(DuplicateKeyException.class);

    assertThat(posthorn.outbox()).holdsInOrder("UserRegistered");
  }

  @Test
  void one_is_down_and_the_other_goes_on() {
    posthorn.destination("welcome-mail").goesDown();
    registration.register("Ada", "ada@example.org");
    posthorn.deliverAll();
    assertThat(posthorn.destination("bus").received()).holdsOne("UserRegistered");
    assertThat(posthorn.destination("welcome-mail").received()).holdsNothing();

    posthorn.destination("welcome-mail").comesBack();
    posthorn.deliverAll().withoutProblems();
    assertThat(posthorn.destination("welcome-mail").received()).holdsOne("UserRegistered");
  }
}
