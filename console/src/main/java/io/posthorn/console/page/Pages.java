package io.posthorn.console.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.api.access.Right;
import io.posthorn.console.live.Live;
import io.posthorn.console.live.Sample;
import io.posthorn.console.text.Words;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.thymeleaf.context.Context;
import org.thymeleaf.spring6.SpringTemplateEngine;
import org.thymeleaf.templateresolver.ClassLoaderTemplateResolver;

/**
 * Turns models into pages. It has a template engine of its own, so that an application that uses
 * Thymeleaf keeps its settings.
 */
public final class Pages {
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
  private static final MediaType HTML = MediaType.parseMediaType("text/html;charset=utf-8");

  private final SpringTemplateEngine engine = new SpringTemplateEngine();
  private final String base;
  private final OperatedDatabases databases;
  private final Live live;

  /** Pages below this path, which is empty or has no slash at its end. */
  public Pages(String base, OperatedDatabases databases, Live live) {
    this.base = base;
    this.databases = databases;
    this.live = live;
    ClassLoaderTemplateResolver resolver =
        new ClassLoaderTemplateResolver(getClass().getClassLoader());
    resolver.setPrefix("io/posthorn/console/pages/");
    resolver.setSuffix(".html");
    resolver.setCharacterEncoding("UTF-8");
    resolver.setCheckExistence(true);
    resolver.setCacheable(!Assets.RELOAD);
    engine.setTemplateResolver(resolver);
  }

  /** The addresses of a database's pages. */
  public Links links(OperatedDatabase database) {
    return new Links(base, database.name());
  }

  /** The addresses of pages that belong to no database. */
  public Links links() {
    return new Links(base, "");
  }

  /** A page of a database. */
  public ResponseEntity<byte[]> page(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      String template,
      String active,
      String title,
      Map<String, ? extends @Nullable Object> model) {
    return answer(HttpStatus.OK, request, caller, database, template, active, title, model);
  }

  /** A page with this status; of no database if that is null. */
  public ResponseEntity<byte[]> answer(
      HttpStatus status,
      HttpServletRequest request,
      Caller caller,
      @Nullable OperatedDatabase database,
      String template,
      String active,
      String title,
      Map<String, ? extends @Nullable Object> model) {
    Map<String, @Nullable Object> all = new HashMap<>(model);
    String name = database == null ? "" : database.name();
    all.put("shell", shell(request, caller, database, active));
    all.put("title", title);
    all.put("me", new Viewer(caller, name));
    all.put("l", new Links(base, name));
    all.put("w", new Words());
    return html(status, engine.process(template, new Context(java.util.Locale.ENGLISH, all)));
  }

  /** A part of a page: these fragments of this template. */
  public String part(
      Links links,
      Viewer viewer,
      String template,
      java.util.Set<String> fragments,
      Map<String, ? extends @Nullable Object> model) {
    Map<String, @Nullable Object> all = new HashMap<>(model);
    all.put("me", viewer);
    all.put("l", links);
    all.put("w", new Words());
    return engine.process(template, fragments, new Context(java.util.Locale.ENGLISH, all));
  }

  /** An answer of HTML with all headers that keep it safe. */
  public ResponseEntity<byte[]> html(HttpStatus status, String html) {
    return ResponseEntity.status(status)
        .contentType(HTML)
        .cacheControl(CacheControl.noStore())
        .header("Content-Security-Policy", POLICY)
        .header("X-Content-Type-Options", "nosniff")
        .header("X-Frame-Options", "DENY")
        .header("Referrer-Policy", "no-referrer")
        .body(html.getBytes(UTF_8));
  }

  private Shell shell(
      HttpServletRequest request,
      Caller caller,
      @Nullable OperatedDatabase database,
      String active) {
    List<String> names =
        databases.of(caller, Right.VIEW).stream().map(OperatedDatabase::name).toList();
    String name = database == null ? "" : database.name();
    return new Shell(
        base,
        Cookies.theme(request),
        System.currentTimeMillis(),
        active,
        names,
        name,
        database == null ? "" : database.environment(),
        database == null ? List.of() : tabs(database, active),
        database == null ? null : new Links("", name).to("live"),
        CsrfFields.of(request),
        LogoutLinks.of(request, base));
  }

  private List<Shell.Tab> tabs(OperatedDatabase database, String active) {
    Links links = links(database);
    Sample sample = live.newest(database.name());
    String dead = sample == null || sample.dead() == 0 ? "" : sample.deadText();
    List<Shell.Tab> tabs = new ArrayList<>();
    tabs.add(tab(links, "Overview", "", "o", active, "", "", ""));
    tabs.add(tab(links, "Messages", "messages", "m", active, "", "", ""));
    tabs.add(tab(links, "Dead letters", "dead", "d", active, "count:dead", dead, "dead"));
    tabs.add(tab(links, "Operations", "operations", "p", active, "", "", "waiting"));
    tabs.add(tab(links, "Destinations", "destinations", "t", active, "", "", ""));
    tabs.add(tab(links, "Consumers", "consumers", "c", active, "", "", ""));
    tabs.add(tab(links, "Relays", "relays", "y", active, "", "", ""));
    tabs.add(tab(links, "Audit", "audit", "a", active, "", "", ""));
    tabs.add(tab(links, "Doctor", "doctor", "h", active, "", "", ""));
    return tabs;
  }

  private static Shell.Tab tab(
      Links links,
      String name,
      String page,
      String key,
      String active,
      String live,
      String count,
      String kind) {
    return new Shell.Tab(name, links.to(page), key, page.equals(active), live, count, kind);
  }
}
