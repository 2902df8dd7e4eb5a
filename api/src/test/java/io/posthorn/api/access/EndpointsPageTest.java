package io.posthorn.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.api.RunningApi;
import io.posthorn.api.RunningApi.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The page is written by this test with {@code -Dposthorn.write=true}. */
class EndpointsPageTest {
  private static final Path PAGE = Path.of("../docs/reference/http-endpoints.md");
  private static final int FORBIDDEN = 403;

  private static RunningApi api;

  @BeforeAll
  static void start() {
    api = new RunningApi();
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  private record Endpoint(String path, String method, Right right) {}

  private static List<Endpoint> endpoints() {
    TreeMap<String, Endpoint> sorted = new TreeMap<>();
    api.context()
        .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
        .getHandlerMethods()
        .forEach(
            (mapping, method) -> {
              if (method.getBeanType().getName().startsWith("io.posthorn.")) {
                Right right = right(method);
                for (String path : mapping.getPatternValues()) {
                  for (RequestMethod verb : mapping.getMethodsCondition().getMethods()) {
                    sorted.put(path + " " + verb, new Endpoint(path, verb.name(), right));
                  }
                }
              }
            });
    return new ArrayList<>(sorted.values());
  }

  private static Right right(HandlerMethod method) {
    Needs needs = method.getMethodAnnotation(Needs.class);
    assertThat(needs).as("%s needs @Needs", method).isNotNull();
    return needs.value();
  }

  @Test
  void the_page_has_every_endpoint_and_who_may_call_it() throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            # The endpoints of the HTTP API

            Every endpoint, the right that it needs, and the roles that have the right. Paths begin with `/api/v1`. How to
            call them is in the [guide](../guide/http-api.md).

            This page is generated from the code; see `EndpointsPageTest`.

            | endpoint | right | roles |
            |---|---|---|
            """);
    for (Endpoint one : endpoints()) {
      page.append(
          "| `%s %s` | %s | %s |\n"
              .formatted(
                  one.method(),
                  one.path().replace("/api/v1", ""),
                  one.right().text(),
                  Arrays.stream(Role.values())
                      .filter(role -> role.rights().contains(one.right()))
                      .map(role -> role.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'))
                      .collect(Collectors.joining(", "))));
    }
    if (Boolean.getBoolean("posthorn.write")) {
      Files.writeString(PAGE, page.toString());
    }
    assertThat(Files.readString(PAGE))
        .as("-Dposthorn.write=true writes it")
        .isEqualTo(page.toString());
  }

  @Test
  void each_endpoint_refuses_exactly_the_roles_without_its_right() {
    for (Endpoint one : endpoints()) {
      if (!one.path().contains("{database}") || one.path().endsWith("/events")) {
        continue;
      }
      String path =
          one.path()
              .replace("/api/v1/databases/{database}", "")
              .replaceAll("\\{\\w+}", UUID.randomUUID().toString());
      for (Role role : Role.values()) {
        // Without a body, so nothing is changed; what is let through fails later.
        Answer answer = api.as(role, one.method(), path, "");
        boolean may = role.rights().contains(one.right());
        assertThat(answer.status() != FORBIDDEN)
            .as("%s %s as %s: %s", one.method(), path, role, answer.body())
            .isEqualTo(may);
        Answer other =
            api.call(
                one.method(), "/api/v1/databases/other" + path, "", "X-Caller", "anna=" + role);
        assertThat(other.status()).as("of another database").isEqualTo(404);
      }
    }
  }
}
