package io.posthorn.examples.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.modulith.test.ApplicationModuleTest;
import org.springframework.modulith.test.Scenario;

/** The test with Spring Modulith; it is compiled, not run. */
// task:test
@ApplicationModuleTest
class ModulithTestTask {
  private final ModulithTasks.Registration registration;
  private final Mails mails;

  ModulithTestTask(ModulithTasks.Registration registration, Mails mails) {
    this.registration = registration;
    this.mails = mails;
  }

  @Test
  void a_registered_user_gets_a_mail(Scenario scenario) {
    scenario
        .stimulate(() -> registration.register("ada@example.org"))
        .andWaitForStateChange(() -> mails.sent.peek())
        .andVerify(sent -> assertThat(sent).isEqualTo("ada@example.org"));
  }
}
// task:end
