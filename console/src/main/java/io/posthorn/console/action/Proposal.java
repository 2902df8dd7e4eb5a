package io.posthorn.console.action;

import io.posthorn.console.page.Equivalent;
import io.posthorn.console.text.Diff;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a dialog shows before anything is done. */
public final class Proposal {
  private final String title;
  private final List<Will> will = new ArrayList<>();
  private final List<Field> fields = new ArrayList<>();
  private String button;
  private boolean danger;
  private boolean possible = true;
  private boolean why = true;
  private boolean wide;
  private String step = "do";
  private @Nullable List<Diff.Line> diff;
  private @Nullable Equivalent equivalent;

  private Proposal(String title, String button) {
    this.title = title;
    this.button = button;
  }

  /** A dialog with this title, and a button with this verb and object. */
  static Proposal of(String title, String button) {
    return new Proposal(title, button);
  }

  /**
   * One thing that will happen.
   *
   * @param kind ok, warn or note
   */
  public record Will(String kind, String icon, String text) {}

  /**
   * A field of the form.
   *
   * @param type text, number, tick, area or hidden
   * @param preview whether a change asks for a new preview
   */
  public record Field(
      String type, String name, String label, String value, String hint, boolean preview) {}

  Proposal will(String text) {
    will.add(new Will("ok", "right", text));
    return this;
  }

  Proposal warn(String text) {
    will.add(new Will("warn", "trouble", text));
    return this;
  }

  Proposal note(String text) {
    will.add(new Will("", "note", text));
    return this;
  }

  Proposal field(String type, String name, String label, @Nullable String value, String hint) {
    fields.add(new Field(type, name, label, value == null ? "" : value, hint, type.equals("tick")));
    return this;
  }

  Proposal hidden(String name, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      fields.add(new Field("hidden", name, "", value, "", false));
    }
    return this;
  }

  Proposal danger() {
    danger = true;
    return this;
  }

  /** Shows why it cannot be done, instead of a button. */
  Proposal impossible(String text) {
    possible = false;
    return warn(text);
  }

  /** Nothing of it is audited, so no reason is asked for. */
  Proposal withoutWhy() {
    why = false;
    return this;
  }

  /** The button only leads to the next step. */
  Proposal leadsTo(String next, String text) {
    step = next;
    button = text;
    why = false;
    return this;
  }

  Proposal wide() {
    wide = true;
    return this;
  }

  Proposal diff(List<Diff.Line> lines) {
    diff = lines;
    return this;
  }

  Proposal like(String cli, String api) {
    equivalent = new Equivalent(cli, api);
    return this;
  }

  public String title() {
    return title;
  }

  public List<Will> will() {
    return will;
  }

  public List<Field> fields() {
    return fields;
  }

  public String button() {
    return button;
  }

  public boolean isDanger() {
    return danger;
  }

  public boolean isPossible() {
    return possible;
  }

  public boolean asksWhy() {
    return why;
  }

  public boolean isWide() {
    return wide;
  }

  public String step() {
    return step;
  }

  public @Nullable List<Diff.Line> diffLines() {
    return diff;
  }

  public @Nullable Equivalent equivalent() {
    return equivalent;
  }
}
