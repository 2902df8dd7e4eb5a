package io.posthorn.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;

/** Without the annotation NullAway silently leaves the package out. */
final class BeInNullMarkedPackage extends ArchCondition<JavaClass> {

  BeInNullMarkedPackage() {
    super("be in a package whose package-info says @NullMarked");
  }

  @Override
  public void check(JavaClass type, ConditionEvents events) {
    if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
      String message = type.getPackageName() + " has no package-info.java with @NullMarked";
      events.add(SimpleConditionEvent.violated(type, message + " (" + type.getName() + ")"));
    }
  }
}
