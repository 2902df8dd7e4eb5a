package io.posthorn.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.json.PosthornJson;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.PathParameter;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springdoc.core.configuration.SpringDocConfiguration;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springdoc.core.customizers.OperationCustomizer;
import org.springdoc.core.properties.SpringDocConfigProperties;
import org.springdoc.core.utils.SpringDocUtils;
import org.springdoc.webmvc.core.configuration.SpringDocWebMvcConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The description is written by this test with {@code -Dposthorn.write=true}. */
class OpenApiTest {
  private static final Path PAGE = Path.of("../docs/reference/openapi.json");

  @Test
  void the_description_of_the_api_changes_only_on_purpose() throws IOException {
    SpringDocUtils.getConfig()
        .addRequestWrapperToIgnore(Caller.class, OperatedDatabase.class)
        .addSimpleTypesForParameterObject(java.util.UUID.class);
    Map<String, Object> properties =
        Map.of(
            "springdoc.api-docs.version", "openapi_3_1",
            "springdoc.writer-with-order-by-keys", true,
            "springdoc.use-fqn", true,
            "springdoc.default-produces-media-type", "application/json",
            "springdoc.default-consumes-media-type", "application/json",
            "springdoc.packages-to-scan", "io.posthorn.api");
    String description;
    try (RunningApi api = new RunningApi(properties, List.of(Described.class))) {
      JsonNode read = api.call("GET", "/v3/api-docs", "").json();
      assertThat(read.path("openapi").asString()).startsWith("3.1");
      // Any JSON, not the properties of the class.
      ((ObjectNode) read.at("/components/schemas")).putObject("tools.jackson.databind.JsonNode");
      description =
          named(PosthornJson.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(read))
              + "\n";
    }
    if (Boolean.getBoolean("posthorn.write")) {
      Files.writeString(PAGE, description);
    }
    assertThat(Files.readString(PAGE)).as("-Dposthorn.write=true writes it").isEqualTo(description);
  }

  /** Names schemas by their classes without packages; two classes may have the same simple name. */
  private static String named(String description) {
    return description
        .replaceAll("io\\.posthorn\\.(?:[a-z]+\\.)+PageIo\\.posthorn\\.(?:[a-z]+\\.)+", "Page")
        .replaceAll(
            "(?:io\\.posthorn|org\\.springframework|tools\\.jackson)\\.(?:[a-z]+\\.)+(?=[A-Z])", "")
        .replace("Controller.", ".");
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    SpringDocConfigProperties.class,
    SpringDocConfiguration.class,
    SpringDocWebMvcConfiguration.class
  })
  static class Described {
    /** The path variable that the guard reads, and the right. */
    @Bean
    OperationCustomizer operations() {
      return (operation, method) -> {
        Needs needs = method.getMethodAnnotation(Needs.class);
        if (needs != null) {
          operation.addExtension("x-right", needs.value().text());
          String thing = method.getBeanType().getSimpleName().replace("Controller", "");
          operation.setOperationId(thing + "." + method.getMethod().getName());
        }
        return operation;
      };
    }

    @Bean
    OpenApiCustomizer whole() {
      return api -> {
        api.setInfo(
            new Info()
                .title("Posthorn")
                .version("v1")
                .description(
                    "Everything that people and programs do with a database of Posthorn."));
        api.setServers(List.of());
        api.getComponents()
            .addSecuritySchemes(
                "token", new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme("bearer"));
        api.addSecurityItem(new SecurityRequirement().addList("token"));
        api.getPaths()
            .forEach(
                (path, item) -> {
                  if (path.contains("{database}")) {
                    item.addParametersItem(
                        new PathParameter()
                            .name("database")
                            .description("the name of the database in the server's file")
                            .schema(new StringSchema()));
                  }
                });
      };
    }
  }
}
