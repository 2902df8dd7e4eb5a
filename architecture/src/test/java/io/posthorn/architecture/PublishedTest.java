package io.posthorn.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PublishedTest {
  private final Poms poms = Poms.ofTheBuild();

  PublishedTest() throws Exception {}

  @Test
  void the_bom_lists_every_published_module_and_no_other() {
    assertThat(poms.managedBy("posthorn-bom"))
        .as("bom/pom.xml, and the modules that do not set maven.deploy.skip")
        .containsExactlyInAnyOrderElementsOf(poms.published());
  }

  @Test
  void a_published_module_gives_its_users_only_what_is_published() {
    assertThat(poms.published())
        .isNotEmpty()
        .allSatisfy(
            module ->
                assertThat(poms.published())
                    .as("what %s depends on", module)
                    .containsAll(poms.givenWith(module)));
  }
}
