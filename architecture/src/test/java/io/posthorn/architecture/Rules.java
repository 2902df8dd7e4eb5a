package io.posthorn.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.lang.ArchRule;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.List;

/**
 * The house rules below one root package: {@code io.posthorn} for the real thing, another one for
 * the classes that break them on purpose.
 */
record Rules(String root) {

  List<ArchRule> all() {
    // Empty is allowed: a rule holds for a module that has no classes yet. That each rule does find
    // what it
    // forbids is proven on the broken classes.
    return List.of(
            modulesFollowTheArrows(),
            coreStandsAlone(),
            onlyTheStarterAndTheServerKnowAFramework(),
            packagesOfCoreHaveNoCycles(),
            roomsOfTheStoreHaveNoCycles(),
            othersSeeOnlyTheDoorOfTheStore(),
            roomsOfTheStoreDoNotSeeItsDoor(),
            packagesAreNamedAfterThings(),
            packagesAreNullMarked(),
            noJavaSerialisation(),
            noStandardStreams(),
            noJavaUtilLogging(),
            noFieldInjection(),
            deliveryKnowsNoTimeOfDay())
        .stream()
        .map(rule -> rule.allowEmptyShould(true))
        .toList();
  }

  ArchRule modulesFollowTheArrows() {
    return classes()
        .should(new Arrows(root))
        .as("modules depend on each other only along the arrows");
  }

  ArchRule coreStandsAlone() {
    return classes()
        .that()
        .resideInAPackage(root + ".core..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                root + ".core..", "java..", "javax.sql..", "org.slf4j..", "org.jspecify.."))
        .as("core depends on the JDK, slf4j and jspecify only");
  }

  ArchRule onlyTheStarterAndTheServerKnowAFramework() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(
            root + ".spring..", root + ".server..", root + ".api..", root + ".console..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.springframework..", "jakarta.enterprise..", "jakarta.inject..", "io.quarkus..")
        .as(
            "only what is made for Spring, and the server, depend on it, and nothing on another framework");
  }

  ArchRule packagesOfCoreHaveNoCycles() {
    return slices()
        .matching(root + ".core.(**)")
        .should()
        .beFreeOfCycles()
        .as("the packages of core have no cycles");
  }

  ArchRule roomsOfTheStoreHaveNoCycles() {
    return slices()
        .matching(root + ".postgresql.(**)")
        .should()
        .beFreeOfCycles()
        .as("the rooms of the store have no cycles");
  }

  ArchRule othersSeeOnlyTheDoorOfTheStore() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(root + ".postgresql..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(root + ".postgresql.*..")
        .as("other modules see the store's door, and no room behind it");
  }

  ArchRule roomsOfTheStoreDoNotSeeItsDoor() {
    return noClasses()
        .that()
        .resideInAPackage(root + ".postgresql.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(root + ".postgresql")
        .as("no room of the store sees its door");
  }

  ArchRule packagesAreNamedAfterThings() {
    return noClasses()
        .should()
        .resideInAnyPackage(
            "..impl..", "..util..", "..utils..", "..service..", "..helper..", "..common..")
        .as("packages are named after things of the domain, never after layers");
  }

  ArchRule packagesAreNullMarked() {
    return classes()
        .should(new BeInNullMarkedPackage())
        .as("every package has a package-info with @NullMarked");
  }

  ArchRule noJavaSerialisation() {
    return noClasses()
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ObjectInputStream.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(ObjectOutputStream.class)
        .as("nothing is written or read by Java serialisation");
  }

  ArchRule noStandardStreams() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(root + ".cli..", root + ".benchmarks..")
        .should(ACCESS_STANDARD_STREAMS)
        .as("only the command line and the benchmarks print");
  }

  /** Calls only: a {@code DataSource} must have a method that returns such a logger. */
  ArchRule noJavaUtilLogging() {
    return noClasses()
        .should()
        .accessClassesThat()
        .resideInAPackage("java.util.logging..")
        .as("logging goes through slf4j, never java.util.logging");
  }

  ArchRule noFieldInjection() {
    return NO_CLASSES_SHOULD_USE_FIELD_INJECTION.as("nothing is injected into fields");
  }

  /**
   * However wrong a machine's clock is, or is set, nothing is delivered sooner, later or twice for
   * it. The doctor compares the clocks.
   */
  ArchRule deliveryKnowsNoTimeOfDay() {
    return noClasses()
        .that()
        .resideInAnyPackage(root + ".core.relay..", root + ".postgresql..")
        .and()
        .haveSimpleNameNotContaining("Exam")
        .should()
        .callMethod(Instant.class, "now")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(Clock.class, Date.class)
        .as("delivery goes by the database's clock and by a ticker, never by the time of day here");
  }
}
