package io.posthorn.console.page;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Open;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The login of the server, in the look of the console. An application has a login of its own. */
@RestController
@ConditionalOnProperty(name = "posthorn.login-page", havingValue = "console")
public final class ConsoleLogin {
  private final Pages pages;

  /** Shows it as one of these pages. */
  public ConsoleLogin(Pages pages) {
    this.pages = pages;
  }

  @Open("it has a form and nothing else")
  @GetMapping("/login")
  ResponseEntity<byte[]> show(
      HttpServletRequest request,
      @RequestParam(required = false) @Nullable String error,
      @RequestParam(required = false) @Nullable String wait,
      @RequestParam(required = false) @Nullable String logout) {
    Map<String, @Nullable Object> model = new HashMap<>();
    model.put("wrong", error == null ? null : "The name or the password is wrong.");
    model.put(
        "wait",
        wait == null ? null : "Too many logins have failed. Wait a minute, then try again.");
    model.put("out", logout == null ? null : "You have logged out.");
    return pages.answer(HttpStatus.OK, request, Caller.NOBODY, null, "login", "-", "Log in", model);
  }
}
