package io.posthorn.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a bean method that converts the payload of one version of a type to that of a later one.
 * Handlers get older messages converted; so do previews of dead letters.
 *
 * <pre>{@code
 * @Upcast(type = "OrderPlaced", from = 1, to = 2)
 * ObjectNode addCurrency(ObjectNode order) {
 *   return order.put("currency", "EUR");
 * }
 * }</pre>
 *
 * <p>The parameter is the payload, read as its class: an earlier version of the event, a map, or a
 * tree of the JSON library of your {@code PayloadReader}; {@code byte[]} gets it unchanged. What
 * the method returns is written in the same way. Steps are chained, and the start refuses gaps.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Upcast {
  /** The type's name. */
  String type();

  /** The version that the step starts at. */
  int from();

  /** The version that it leads to. */
  int to();
}
