package io.posthorn.api.access;

import io.posthorn.api.access.AccessRefusedException.Why;
import io.posthorn.api.json.StrictText;
import io.posthorn.api.request.Requests;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Lets a request through to a handler method of Posthorn only if its caller has the right that the
 * method needs. Handler methods of the application around it are not its business.
 */
public final class Guard implements HandlerInterceptor {
  static final String CALLER = Guard.class.getName() + ".caller";
  static final String DATABASE = Guard.class.getName() + ".database";
  private static final String OURS = "io.posthorn.";
  // They are applications of their own, like those of users.
  private static final String EXAMPLES = "io.posthorn.examples.";

  private final OperatedDatabases databases;
  private final Callers callers;

  /** Guards with these callers and databases. */
  public Guard(OperatedDatabases databases, Callers callers) {
    this.databases = databases;
    this.callers = callers;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    // The second dispatch of a request that this guard has let through; its login is not repeated.
    boolean letThrough =
        request.getDispatcherType() == DispatcherType.ASYNC && request.getAttribute(CALLER) != null;
    if (!letThrough
        && handler instanceof HandlerMethod method
        && isOurs(method.getBeanType().getName())
        && !method.hasMethodAnnotation(Open.class)) {
      check(request, method);
    }
    return true;
  }

  private static boolean isOurs(String type) {
    return type.startsWith(OURS) && !type.startsWith(EXAMPLES);
  }

  private void check(HttpServletRequest request, HandlerMethod method) {
    Caller caller = callers.of(request);
    if (caller == Caller.NOBODY) {
      throw new AccessRefusedException(
          Why.NOT_LOGGED_IN,
          "nothing was done: log in, or send a token as 'Authorization: Bearer'.");
    }
    request.setAttribute(CALLER, caller);
    refuseUnstorable(request);
    Needs needs = method.getMethodAnnotation(Needs.class);
    if (needs == null) {
      throw new AccessRefusedException(
          Why.RIGHT_MISSING, "nothing was done: no rule says who may call this.");
    }
    String database = databaseOf(request);
    if (database == null) {
      anywhere(caller, needs.value());
    } else {
      request.setAttribute(DATABASE, in(database, caller, needs.value()));
    }
  }

  private static void refuseUnstorable(HttpServletRequest request) {
    request
        .getParameterMap()
        .forEach(
            (name, values) -> {
              if (!Arrays.stream(values).allMatch(StrictText::isStorable)) {
                throw Requests.wrong(
                    "nothing was done: a parameter has a character that cannot be stored as text.");
              }
            });
  }

  private void anywhere(Caller caller, Right right) {
    if (databases.of(caller, right).isEmpty()) {
      throw new AccessRefusedException(
          Why.RIGHT_MISSING,
          "nothing was done: '%s' has the right %s in no database."
              .formatted(caller.name(), right.text()));
    }
  }

  private OperatedDatabase in(String name, Caller caller, Right right) {
    OperatedDatabase database = databases.find(name).orElse(null);
    if (database == null || !mayAnything(caller, name)) {
      throw new AccessRefusedException(
          Why.NO_SUCH_DATABASE,
          "nothing was done: '%s' sees no database of this name.".formatted(caller.name()));
    }
    if (!caller.may(right, name)) {
      throw AccessRefusedException.lacking(caller, right, name);
    }
    return database;
  }

  private static boolean mayAnything(Caller caller, String database) {
    return Arrays.stream(Right.values()).anyMatch(right -> caller.may(right, database));
  }

  private static @Nullable String databaseOf(HttpServletRequest request) {
    Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    return variables instanceof Map<?, ?> map && map.get("database") instanceof String name
        ? name
        : null;
  }

  /** The caller that the guard let through with this request. */
  public static Caller callerOf(HttpServletRequest request) {
    return (Caller) Objects.requireNonNull(request.getAttribute(CALLER), "the guard did not run");
  }

  static OperatedDatabase databaseFor(HttpServletRequest request) {
    return (OperatedDatabase)
        Objects.requireNonNull(request.getAttribute(DATABASE), "the path names no database");
  }
}
