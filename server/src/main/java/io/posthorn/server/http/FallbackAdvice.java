package io.posthorn.server.http;

import io.posthorn.api.error.Problem;
import io.posthorn.api.error.ProblemAdvice;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Answers requests that reached no handler method: unknown paths and methods. */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class FallbackAdvice {
  @ExceptionHandler
  ResponseEntity<Problem> of(Exception e) throws Exception {
    return ProblemAdvice.ofAny(e);
  }
}
