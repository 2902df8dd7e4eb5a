package io.posthorn.console.page;

import io.posthorn.api.access.AccessRefusedException;
import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Callers;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.api.access.Right;
import io.posthorn.api.error.Statuses;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.HandlerMapping;

/** Says what went wrong as a page: what was not done, why, what to do. */
@RestControllerAdvice("io.posthorn.console")
@Order(0)
public final class ErrorPages {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorPages.class);

  private final Pages pages;
  private final OperatedDatabases databases;
  private final Callers callers;

  /** Shows them on these pages. */
  public ErrorPages(Pages pages, OperatedDatabases databases, Callers callers) {
    this.pages = pages;
    this.databases = databases;
    this.callers = callers;
  }

  @ExceptionHandler
  ResponseEntity<byte[]> away(AwayException e, HttpServletRequest request) {
    return page(
        HttpStatus.SERVICE_UNAVAILABLE,
        request,
        "The database does not answer.",
        "Nothing is known of it now. This page looks again when you reload it.",
        new Problem(
            "trouble",
            sentence(e.text()),
            "Relays cannot deliver from it, and writers cannot add to it, until it answers. What is committed stays.",
            List.of(
                Step.open("Try again", here(request)).primary(),
                Step.open("All databases", pages.links().base() + "/"))));
  }

  @ExceptionHandler
  ResponseEntity<byte[]> refused(AccessRefusedException e, HttpServletRequest request) {
    if (e.why() == AccessRefusedException.Why.NOT_LOGGED_IN && pages.links().base().isEmpty()) {
      return ResponseEntity.status(HttpStatus.FOUND).location(URI.create("/login")).build();
    }
    return switch (e.why()) {
      case NOT_LOGGED_IN ->
          page(HttpStatus.UNAUTHORIZED, request, "Log in first.", "", trouble(e.text(), request));
      case RIGHT_MISSING ->
          page(
              HttpStatus.FORBIDDEN,
              request,
              "You may not do this here.",
              "Somebody with the role admin can give you the right.",
              trouble(e.text(), request));
      case NO_SUCH_DATABASE ->
          page(
              HttpStatus.NOT_FOUND,
              request,
              "There is nothing here for you.",
              "",
              trouble(e.text(), request));
    };
  }

  @ExceptionHandler
  ResponseEntity<byte[]> failed(PosthornException e, HttpServletRequest request) {
    HttpStatus status = Statuses.of(e.code());
    String heading =
        switch (status) {
          case NOT_FOUND -> "There is no such thing.";
          case CONFLICT -> "Somebody or something was faster.";
          case SERVICE_UNAVAILABLE -> "The database does not answer as it should.";
          default -> "That was not done.";
        };
    if (e.code() == ErrorCode.STORE_FAILED) {
      LOG.warn("A page of the console was not shown: {}", Sanitiser.text(e));
    }
    return page(status, request, heading, "", trouble(text(e), request));
  }

  @ExceptionHandler
  ResponseEntity<byte[]> other(Exception e, HttpServletRequest request) throws Exception {
    if (e instanceof java.io.IOException) {
      // The reader has gone; there is nobody to answer.
      throw e;
    }
    if (e instanceof ErrorResponse known && known.getStatusCode().is4xxClientError()) {
      return page(
          HttpStatus.valueOf(known.getStatusCode().value()),
          request,
          "This address is not right.",
          "",
          trouble(
              "nothing was done: a part of the address or of the form has a wrong form.", request));
    }
    String number = UUID.randomUUID().toString().substring(0, 8);
    LOG.error("A page of the console failed unexpectedly ({})", number, Sanitiser.clean(e));
    return page(
        HttpStatus.INTERNAL_SERVER_ERROR,
        request,
        "The console has failed.",
        "Delivery is not affected.",
        trouble("the log of this program says more at %s.".formatted(number), request));
  }

  private Problem trouble(String text, HttpServletRequest request) {
    return new Problem(
        "trouble", sentence(text), "", List.of(Step.open("Back", back(request)).primary()));
  }

  private String back(HttpServletRequest request) {
    OperatedDatabase database = database(request);
    return database == null ? pages.links().base() + "/" : pages.links(database).overview();
  }

  private static String here(HttpServletRequest request) {
    String query = request.getQueryString();
    return request.getMethod().equals("GET")
        ? request.getRequestURI() + (query == null ? "" : "?" + query)
        : request.getRequestURI();
  }

  private ResponseEntity<byte[]> page(
      HttpStatus status, HttpServletRequest request, String heading, String text, Problem problem) {
    Caller caller = callers.of(request);
    OperatedDatabase database = database(request);
    OperatedDatabase shown =
        database != null && caller.may(Right.VIEW, database.name()) ? database : null;
    return pages.answer(
        status,
        request,
        caller,
        shown,
        "away",
        "-",
        heading,
        Map.of("heading", heading, "text", text, "problem", problem));
  }

  private @Nullable OperatedDatabase database(HttpServletRequest request) {
    Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    return variables instanceof Map<?, ?> map && map.get("database") instanceof String name
        ? databases.find(name).orElse(null)
        : null;
  }

  /** The text of an error without its code, which has a page of its own. */
  public static String text(PosthornException e) {
    String text = String.valueOf(e.getMessage());
    String code = e.code().text() + ": ";
    return text.startsWith(code) ? text.substring(code.length()) : text;
  }

  /** The text with a capital letter. */
  public static String sentence(String text) {
    return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }
}
