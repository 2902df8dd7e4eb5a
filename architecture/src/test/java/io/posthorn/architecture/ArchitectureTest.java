package io.posthorn.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArchitectureTest {
  private static final Rules HOUSE = new Rules("io.posthorn");
  private static final Rules BROKEN = new Rules("io.posthorn.architecture.broken");

  private static final JavaClasses HOUSE_CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(HOUSE.root());
  private static final JavaClasses BROKEN_CLASSES =
      new ClassFileImporter().importPackages(BROKEN.root());

  static List<ArchRule> houseRules() {
    return HOUSE.all();
  }

  static List<ArchRule> brokenRules() {
    return BROKEN.all();
  }

  @ParameterizedTest
  @MethodSource("houseRules")
  void the_house_keeps_its_rules(ArchRule rule) {
    rule.check(HOUSE_CLASSES);
  }

  @ParameterizedTest
  @MethodSource("brokenRules")
  void every_rule_notices_when_it_is_broken(ArchRule rule) {
    assertThat(rule.evaluate(BROKEN_CLASSES).hasViolation()).as(rule.getDescription()).isTrue();
  }

  @Test
  void classes_of_the_modules_are_really_looked_at() {
    assertThat(HOUSE_CLASSES)
        .anyMatch(type -> type.getPackageName().startsWith("io.posthorn.core"));
  }

  @Test
  void a_core_that_uses_the_command_line_is_noticed() {
    assertThat(brokenArrows()).contains("broken.core.one.One").contains("broken.cli.Command");
  }

  @Test
  void a_testkit_that_uses_a_store_is_noticed() {
    assertThat(brokenArrows()).contains("broken.testkit.Kit").contains("broken.postgresql.Store");
  }

  @Test
  void a_module_that_nobody_listed_is_noticed() {
    assertThat(brokenArrows()).contains("broken.unlisted.Stray is in no module");
  }

  /** All modules are on this class path, those for Spring without what they depend on. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.springframework.core.SpringVersion",
        "jakarta.enterprise.inject.Produces",
        "io.quarkus.runtime.Quarkus"
      })
  void plain_java_gets_no_framework_on_the_class_path(String ofAFramework) {
    assertThatThrownBy(() -> Class.forName(ofAFramework))
        .isInstanceOf(ClassNotFoundException.class);
  }

  private static String brokenArrows() {
    return BROKEN.modulesFollowTheArrows().evaluate(BROKEN_CLASSES).getFailureReport().toString();
  }
}
