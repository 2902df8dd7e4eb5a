package io.posthorn.examples.campuscafe.stage;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets the payment endpoint of either shop answer late, or only with errors. */
@RestController
class PaymentFaults extends OncePerRequestFilter {
  private volatile int status;
  private volatile long delay;

  @PutMapping("/stage/payment-faults")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void set(@RequestParam int status, @RequestParam long delay) {
    this.status = status;
    this.delay = delay;
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return !request.getRequestURI().equals("/payments");
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (status != 0) {
      response.setStatus(status);
      return;
    }
    // The work is done, and the answer comes too late.
    chain.doFilter(request, response);
    try {
      Thread.sleep(delay);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
