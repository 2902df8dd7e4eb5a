package io.posthorn.api.access;

import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/**
 * Which right a handler method needs in the database that its path variable {@code {database}}
 * names. A method without such a variable needs the right in at least one database. A handler
 * method of Posthorn without this annotation fails the build and, at run time, is refused.
 */
@Documented
@Target(METHOD)
@Retention(RUNTIME)
public @interface Needs {
  Right value();
}
