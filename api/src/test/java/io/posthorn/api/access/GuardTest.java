package io.posthorn.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.api.RunningApi;
import io.posthorn.api.RunningApi.Answer;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

class GuardTest {
  private static RunningApi api;

  @BeforeAll
  static void start() {
    api = new RunningApi();
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @Test
  void nobody_gets_anything_without_a_login() {
    Answer answer = api.call("GET", "/api/v1/databases/shop/status", "");
    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
    assertThat(answer.json().get("detail").asString()).contains("log in");
  }

  @Test
  void a_viewer_sees_the_status_of_their_database() {
    Answer answer = api.get(Role.VIEWER, "/status");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().get("destinations").get(0).get("status").get("name").asString())
        .isEqualTo("unrouted");
  }

  @Test
  void a_database_that_a_caller_may_not_see_looks_like_one_that_does_not_exist() {
    Answer hidden = api.call("GET", "/api/v1/databases/other/status", "", "X-Caller", "a=ADMIN");
    Answer missing = api.call("GET", "/api/v1/databases/nope/status", "", "X-Caller", "a=ADMIN");
    assertThat(hidden.status()).isEqualTo(404).isEqualTo(missing.status());
    assertThat(hidden.body()).isEqualTo(missing.body());
    assertThat(hidden.json().get("code").asString()).isEqualTo("POSTHORN-035");
  }

  @Test
  void the_list_of_databases_has_only_those_that_the_caller_may_see() {
    Answer answer = api.call("GET", "/api/v1/databases", "", "X-Caller", "a=OPERATOR");
    assertThat(answer.json().get("items")).hasSize(1);
    assertThat(answer.json().get("items").get(0).toString())
        .isEqualTo(
            "{\"name\":\"shop\",\"environment\":\"test\",\"rights\":[\"VIEW\",\"OPERATE\"]}");
  }

  @Test
  void every_handler_method_says_which_right_it_needs() {
    TreeSet<String> without = new TreeSet<>();
    Map<RequestMappingInfo, HandlerMethod> all =
        api.context()
            .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
            .getHandlerMethods();
    all.forEach(
        (mapping, method) -> {
          if (method.getBeanType().getName().startsWith("io.posthorn.")
              && !method.hasMethodAnnotation(Needs.class)
              && !method.hasMethodAnnotation(Open.class)) {
            without.add(mapping + " " + method);
          }
        });
    assertThat(all).isNotEmpty();
    assertThat(without).isEmpty();
  }
}
