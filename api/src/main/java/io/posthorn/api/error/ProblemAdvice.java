package io.posthorn.api.error;

import io.posthorn.api.access.AccessRefusedException;
import io.posthorn.api.request.BodyLimit;
import io.posthorn.core.error.Causes;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.TypeMismatchException;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import tools.jackson.core.JacksonException;

/** Answers every failure of the API with a problem document. */
@RestControllerAdvice("io.posthorn.api")
@Order(0)
public final class ProblemAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);
  private static final String RETRY_SECONDS = "5";

  @ExceptionHandler
  ResponseEntity<Problem> of(AccessRefusedException e) {
    return switch (e.why()) {
      case NOT_LOGGED_IN -> problem(HttpStatus.UNAUTHORIZED, e.text(), null);
      case RIGHT_MISSING -> problem(HttpStatus.FORBIDDEN, e.text(), ErrorCode.MISSING_RIGHTS);
      case NO_SUCH_DATABASE -> problem(HttpStatus.NOT_FOUND, e.text(), ErrorCode.NOT_FOUND);
    };
  }

  @ExceptionHandler
  ResponseEntity<Problem> of(PosthornException e) {
    HttpStatus status = Statuses.of(e.code());
    if (status.is5xxServerError()) {
      LOG.warn("A request of the API was not answered: {}", Sanitiser.text(e));
    }
    return problem(status, withoutCode(e), e.code());
  }

  /** The code has a field of its own. */
  private static String withoutCode(PosthornException e) {
    String text = String.valueOf(e.getMessage());
    String code = e.code().text() + ": ";
    return text.startsWith(code) ? text.substring(code.length()) : text;
  }

  @ExceptionHandler
  ResponseEntity<Problem> of(HttpMessageNotReadableException e) {
    if (isTooLarge(e)) {
      return problem(HttpStatus.CONTENT_TOO_LARGE, BodyLimit.TEXT, ErrorCode.INVALID_REQUEST);
    }
    String detail = "nothing was done: the body is missing or is not valid JSON.";
    if (e.getCause() instanceof JacksonException json) {
      detail = "nothing was done: the body is not as expected: " + Bodies.text(json) + ".";
    }
    return problem(HttpStatus.BAD_REQUEST, detail, ErrorCode.INVALID_REQUEST);
  }

  private static boolean isTooLarge(Throwable e) {
    return Causes.of(e).stream().anyMatch(BodyLimit.TooLarge.class::isInstance);
  }

  @ExceptionHandler
  ResponseEntity<Problem> of(TypeMismatchException e) {
    String name =
        e instanceof MethodArgumentTypeMismatchException argument ? argument.getName() : "a value";
    return problem(
        HttpStatus.BAD_REQUEST,
        "nothing was done: %s is not %s.".formatted(name, expected(e.getRequiredType())),
        ErrorCode.INVALID_REQUEST);
  }

  private static String expected(@Nullable Class<?> type) {
    if (type == UUID.class) {
      return "an id such as 01985c3e-8f00-7000-8000-000000000000";
    }
    if (type != null && (type == int.class || type == long.class || type == double.class)) {
      return "a number in its range";
    }
    return type == boolean.class ? "true or false" : "a valid value";
  }

  @ExceptionHandler
  ResponseEntity<Problem> of(Exception e) throws Exception {
    return ofAny(e);
  }

  /** Answers any exception; one of the connection itself is thrown again. */
  public static ResponseEntity<Problem> ofAny(Exception e) throws Exception {
    if (e instanceof ErrorResponse known) {
      String detail = known.getBody().getDetail();
      ResponseEntity<Problem> answer =
          problem(
              known.getStatusCode(),
              detail == null ? "nothing was done." : Sanitiser.clean(detail),
              known.getStatusCode().is4xxClientError() ? ErrorCode.INVALID_REQUEST : null);
      HttpHeaders headers = new HttpHeaders();
      headers.putAll(known.getHeaders());
      headers.putAll(answer.getHeaders());
      return new ResponseEntity<>(answer.getBody(), headers, answer.getStatusCode());
    }
    if (e instanceof java.io.IOException) {
      // The caller has gone; there is nobody to answer.
      throw e;
    }
    LOG.error("A request of the API failed unexpectedly: {}", Sanitiser.text(e));
    return problem(
        HttpStatus.INTERNAL_SERVER_ERROR,
        "the request failed unexpectedly. The log of the server has the details.",
        null);
  }

  /** A problem document with this status. */
  public static ResponseEntity<Problem> problem(
      HttpStatusCode status, String detail, @Nullable ErrorCode code) {
    HttpStatus known = HttpStatus.resolve(status.value());
    Problem body =
        new Problem(
            "about:blank",
            known == null ? "Error" : known.getReasonPhrase(),
            status.value(),
            detail,
            code == null ? null : code.text());
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.status(status).contentType(MediaType.APPLICATION_PROBLEM_JSON);
    if (status.value() == HttpStatus.SERVICE_UNAVAILABLE.value()) {
      answer.header(HttpHeaders.RETRY_AFTER, RETRY_SECONDS);
    }
    return answer.body(body);
  }
}
