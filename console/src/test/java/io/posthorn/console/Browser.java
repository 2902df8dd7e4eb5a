package io.posthorn.console;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Cookie;
import io.posthorn.api.access.Role;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Debian's Chromium, driven by Playwright. */
final class Browser implements AutoCloseable {
  private static final String AXE = script("/axe.min.js");

  private final Playwright playwright;
  private final com.microsoft.playwright.Browser chromium;

  Browser() {
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    chromium =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(executable())
                    .setArgs(
                        List.of(
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-quic",
                            "--no-first-run",
                            "--disable-background-networking",
                            "--disable-component-update",
                            "--disable-sync")));
  }

  private static Path executable() {
    String given = System.getenv("POSTHORN_CHROMIUM");
    return given != null
        ? Path.of(given)
        : Arrays.stream(Objects.requireNonNull(System.getenv("PATH")).split(":"))
            .map(folder -> Path.of(folder, "chromium"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "there is no chromium on the PATH. Install Debian's package chromium, or set POSTHORN_CHROMIUM"));
  }

  /** How a page is looked at. */
  enum Look {
    LIGHT(1360, 900, ColorScheme.LIGHT),
    DARK(1360, 900, ColorScheme.DARK),
    PHONE(390, 844, ColorScheme.LIGHT);

    private final int wide;
    private final int high;
    private final ColorScheme colours;

    Look(int wide, int high, ColorScheme colours) {
      this.wide = wide;
      this.high = high;
      this.colours = colours;
    }
  }

  /** A new tab of somebody with this role. */
  Page tab(Look look, Role role, String url) {
    BrowserContext context =
        chromium.newContext(
            new com.microsoft.playwright.Browser.NewContextOptions()
                .setViewportSize(look.wide, look.high)
                .setColorScheme(look.colours)
                .setTimezoneId("Europe/Berlin")
                .setLocale("en-GB")
                .setPermissions(List.of("clipboard-read", "clipboard-write")));
    context.addCookies(
        List.of(new Cookie("role", role.name()).setUrl(url.substring(0, url.indexOf('/', 8)))));
    context.setDefaultTimeout(10_000);
    return context.newPage();
  }

  /** What axe finds wrong with the page, one line each. */
  static List<String> faultsOf(Page page) {
    page.evaluate(AXE);
    Object found =
        page.evaluate(
            """
            async () => (await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
              .violations.map(one => one.id + ': ' + one.help + ' — ' + one.nodes.slice(0, 3).map(node => node.html.slice(0, 160) + ' ' + (node.any[0] ? node.any[0].message : '')).join(' | '))""");
    return ((List<?>) found).stream().map(Object::toString).toList();
  }

  static void shot(Page page, Path file, boolean whole) {
    page.screenshot(new Page.ScreenshotOptions().setPath(file).setFullPage(whole));
  }

  private static String script(String name) {
    try (InputStream in = Browser.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    chromium.close();
    playwright.close();
  }
}
