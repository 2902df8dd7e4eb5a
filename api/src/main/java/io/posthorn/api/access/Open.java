package io.posthorn.api.access;

import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/** A handler method that anybody may call without a login, such as the login page itself. */
@Documented
@Target(METHOD)
@Retention(RUNTIME)
public @interface Open {
  /** Why it shows and changes nothing that needs a right. */
  String value();
}
