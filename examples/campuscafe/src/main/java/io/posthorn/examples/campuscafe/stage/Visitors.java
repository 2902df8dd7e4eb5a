package io.posthorn.examples.campuscafe.stage;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Callers;
import io.posthorn.api.access.Right;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Lets visitors of the demo do everything in the consoles of the services. An application of your
 * own has its own security, and maps its roles to those of the console.
 */
@Configuration(proxyBeanMethods = false)
class Visitors {
  @Bean
  Callers visitors() {
    return request ->
        new Caller() {
          @Override
          public String name() {
            return "visitor";
          }

          @Override
          public boolean may(Right right, String database) {
            return true;
          }
        };
  }

  /** Another site must not reach the console by a name of its own for this machine. */
  @Bean
  OncePerRequestFilter onlyThisMachine() {
    return new OncePerRequestFilter() {
      @Override
      protected void doFilterInternal(
          HttpServletRequest request, HttpServletResponse response, FilterChain chain)
          throws IOException, ServletException {
        String name = request.getServerName();
        if (name.equals("127.0.0.1") || name.equals("localhost")) {
          chain.doFilter(request, response);
        } else {
          response.sendError(HttpServletResponse.SC_FORBIDDEN);
        }
      }
    };
  }
}
