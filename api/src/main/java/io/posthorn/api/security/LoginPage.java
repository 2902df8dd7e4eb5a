package io.posthorn.api.security;

import io.posthorn.api.access.Open;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.MediaType;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

/** A plain page to log in. It has no style of its own, because none may be inline. */
@RestController
@ConditionalOnProperty(name = "posthorn.login-page", havingValue = "plain", matchIfMissing = true)
public final class LoginPage {
  private static final String PAGE =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Log in - Posthorn</title></head>
      <body>
      <main>
      <h1>Log in to Posthorn</h1>
      %s<form method="post" action="%s/login">
      <input type="hidden" name="%s" value="%s">
      <p><label for="username">Name</label><br><input id="username" name="username" autocomplete="username" required autofocus></p>
      <p><label for="password">Password</label><br><input id="password" name="password" type="password" autocomplete="current-password" required></p>
      <p><button type="submit">Log in</button></p>
      </form>
      </main>
      </body>
      </html>
      """;

  /** Shows the form. */
  @GetMapping(path = "/login", produces = MediaType.TEXT_HTML_VALUE)
  @Open("it has a form and nothing else")
  public String login(
      HttpServletRequest request,
      @RequestParam(required = false) @Nullable String error,
      @RequestParam(required = false) @Nullable String wait,
      @RequestParam(required = false) @Nullable String logout) {
    String said = "";
    if (error != null) {
      said = "<p role=\"alert\">The name or the password is wrong.</p>\n";
    } else if (wait != null) {
      said = "<p role=\"alert\">Too many logins have failed. Wait a minute, then try again.</p>\n";
    } else if (logout != null) {
      said = "<p role=\"status\">You have logged out.</p>\n";
    }
    CsrfToken token = (CsrfToken) request.getAttribute(CsrfToken.class.getName());
    return PAGE.formatted(
        said,
        HtmlUtils.htmlEscape(request.getContextPath()),
        token == null ? "_csrf" : HtmlUtils.htmlEscape(token.getParameterName()),
        token == null ? "" : HtmlUtils.htmlEscape(token.getToken()));
  }
}
