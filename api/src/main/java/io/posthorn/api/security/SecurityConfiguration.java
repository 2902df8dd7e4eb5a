package io.posthorn.api.security;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Callers;
import io.posthorn.api.error.ProblemAnswer;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.annotation.web.configurers.HeadersConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.authentication.AuthenticationSuccessHandler;
import org.springframework.security.web.authentication.LoginUrlAuthenticationEntryPoint;
import org.springframework.security.web.authentication.SavedRequestAwareAuthenticationSuccessHandler;
import org.springframework.security.web.csrf.CsrfException;
import org.springframework.security.web.csrf.CsrfFilter;
import org.springframework.security.web.header.writers.CrossOriginOpenerPolicyHeaderWriter.CrossOriginOpenerPolicy;
import org.springframework.security.web.header.writers.CrossOriginResourcePolicyHeaderWriter.CrossOriginResourcePolicy;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;

/**
 * The door of the server: nothing is open but the login page and its assets. Browsers have a
 * session, programs a token with each request.
 */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
@Import(LoginPage.class)
public class SecurityConfiguration {
  private static final String LOGIN = "/login";
  private static final String POLICY =
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

  @Bean
  Callers posthornServerCallers() {
    return SecurityConfiguration::caller;
  }

  private static Caller caller(HttpServletRequest request) {
    Authentication now = SecurityContextHolder.getContext().getAuthentication();
    return now instanceof LoggedInToken token ? token.who() : Caller.NOBODY;
  }

  @Bean
  SecurityFilterChain posthornSecurity(HttpSecurity http, Logins logins, Environment environment)
      throws Exception {
    // The console has pages of its own.
    String home = environment.getProperty("posthorn.home", "/api/v1/databases");
    Duration timeout =
        environment.getProperty("posthorn.session-timeout", Duration.class, Duration.ofMinutes(30));
    PasswordLogin passwords =
        new PasswordLogin(logins.accounts(), logins.oneTime(), new LoginThrottle(System::nanoTime));
    return http.authenticationManager(new ProviderManager(passwords))
        .addFilterBefore(new TokenFilter(logins.tokens(), Clock.systemUTC()), CsrfFilter.class)
        .authorizeHttpRequests(
            each ->
                each.dispatcherTypeMatchers(DispatcherType.ASYNC, DispatcherType.ERROR)
                    .permitAll()
                    .requestMatchers(LOGIN, "/assets/**")
                    .permitAll()
                    .anyRequest()
                    .authenticated())
        .formLogin(
            form ->
                form.loginPage(LOGIN)
                    .successHandler(loggedIn(home, timeout))
                    .failureHandler(
                        (request, response, failure) ->
                            response.sendRedirect(
                                request.getContextPath()
                                    + LOGIN
                                    + (failure instanceof LockedException ? "?wait" : "?error"))))
        .logout(out -> out.logoutUrl("/logout").logoutSuccessUrl(LOGIN + "?logout"))
        .requestCache(cache -> cache.requestCache(new AskedPage()))
        .httpBasic(AbstractHttpConfigurer::disable)
        .rememberMe(AbstractHttpConfigurer::disable)
        .anonymous(AbstractHttpConfigurer::disable)
        // A token is no cookie: no other site can make a browser send it.
        .csrf(csrf -> csrf.ignoringRequestMatchers(TokenFilter::isBearer))
        .exceptionHandling(
            each -> each.authenticationEntryPoint(entry()).accessDeniedHandler(denied()))
        .headers(SecurityConfiguration::headers)
        .build();
  }

  /** Sessions are short until somebody logs in, so that strangers cannot fill the memory. */
  private static AuthenticationSuccessHandler loggedIn(String home, Duration timeout) {
    SavedRequestAwareAuthenticationSuccessHandler next =
        new SavedRequestAwareAuthenticationSuccessHandler();
    next.setDefaultTargetUrl(home);
    return (request, response, who) -> {
      request.getSession().setMaxInactiveInterval(Math.toIntExact(timeout.toSeconds()));
      next.onAuthenticationSuccess(request, response, who);
    };
  }

  private static void headers(HeadersConfigurer<HttpSecurity> headers) {
    headers
        .contentSecurityPolicy(policy -> policy.policyDirectives(POLICY))
        .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.NO_REFERRER))
        .frameOptions(HeadersConfigurer.FrameOptionsConfig::deny)
        .crossOriginOpenerPolicy(policy -> policy.policy(CrossOriginOpenerPolicy.SAME_ORIGIN))
        .crossOriginResourcePolicy(policy -> policy.policy(CrossOriginResourcePolicy.SAME_ORIGIN))
        .permissionsPolicyHeader(
            policy -> policy.policy("camera=(), geolocation=(), microphone=(), payment=()"));
  }

  /** Programs get 401; browsers that ask for a page are sent to the form. */
  private static AuthenticationEntryPoint entry() {
    AuthenticationEntryPoint form = new LoginUrlAuthenticationEntryPoint(LOGIN);
    var api = PathPatternRequestMatcher.withDefaults().matcher("/api/**");
    return (request, response, failure) -> {
      if (api.matches(request)) {
        response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        ProblemAnswer.write(
            response,
            HttpStatus.UNAUTHORIZED,
            "nothing was done: log in, or send a token as 'Authorization: Bearer'.");
      } else {
        form.commence(request, response, failure);
      }
    };
  }

  private static AccessDeniedHandler denied() {
    return (request, response, failure) ->
        ProblemAnswer.write(
            response,
            HttpStatus.FORBIDDEN,
            failure instanceof CsrfException
                ? "nothing was done: the request has no valid CSRF token. Load the page again, or use an API token."
                : "nothing was done: this is not allowed.");
  }
}
