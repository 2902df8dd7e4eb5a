package io.posthorn.core.error;

import java.util.List;

/**
 * The rules of one database for the {@link Sanitiser}: they recognise what the database and its
 * driver quote of rows, parameters and statements.
 *
 * <p>Each store has such a class, public and with a public constructor without parameters, and does
 * two things with it. It names the class in {@code
 * META-INF/services/io.posthorn.core.error.SanitiserRules}, so that the rules apply from the first
 * text on, before a store exists. And it passes an instance to {@link Sanitiser#add} when the class
 * of the store is initialised, so that the rules also apply where that file was lost: in a jar that
 * was merged from others, or with a class loader that core does not see.
 */
public interface SanitiserRules {
  /** The rules, in the order in which they are applied. */
  List<Rule> rules();

  /**
   * The beginnings of the lines into which the driver divides a message, for example {@code
   * "Detail: "}. A quoted value ends before such a line at the latest.
   */
  List<String> headings();

  /**
   * Regular expressions for names in quotes or brackets that these rules leave beside a removed
   * value, for example {@code Key \(\w{1,200}+\)=\(\*\*\*\)}. In the message of an error that
   * quotes values, text in quotes and brackets is removed unless one of these matches it. They have
   * no groups, and bounds for what they repeat, so that the work stays linear.
   */
  List<String> kept();
}
