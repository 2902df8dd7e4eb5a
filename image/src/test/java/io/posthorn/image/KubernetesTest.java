package io.posthorn.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.server.file.FileReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The base for Kubernetes fits the server that it runs. */
class KubernetesTest {
  private static final Path BASE = Path.of("kubernetes");

  @Test
  void the_server_accepts_the_file(@TempDir Path directory) throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "whsec_" + "A".repeat(44));
    Path file =
        Files.writeString(
            directory.resolve("posthorn.yaml"),
            Files.readString(BASE.resolve("posthorn.yaml"))
                .replace("/run/secrets/posthorn/partner-secret", secret.toString()));
    FileReader.Result read =
        FileReader.read(file, Map.of("SHOP_PASSWORD", "secret", "POD_NAME", "posthorn-0"));
    assertThat(read.problems()).isEmpty();
  }

  @Test
  void the_pod_runs_the_file_that_the_map_holds_without_any_privilege() throws IOException {
    Map<String, Object> pod =
        map(map(map(yaml("deployment.yaml").get("spec")).get("template")).get("spec"));
    Map<String, Object> container = map(list(pod.get("containers")).get(0));
    assertThat(container.get("args"))
        .isEqualTo(List.of("server", "--config", "/etc/posthorn/posthorn.yaml"));
    assertThat(map(container.get("securityContext")))
        .containsEntry("readOnlyRootFilesystem", true)
        .containsEntry("allowPrivilegeEscalation", false);
    assertThat(map(pod.get("securityContext")))
        .containsEntry("runAsNonRoot", true)
        .containsEntry("runAsUser", 10001);
    assertThat(path(container, "livenessProbe")).isEqualTo("/livez");
    assertThat(path(container, "readinessProbe")).isEqualTo("/readyz");
  }

  @Test
  void every_resource_is_there_and_is_yaml() throws IOException {
    List<?> resources = list(yaml("kustomization.yaml").get("resources"));
    try (Stream<Path> files = Files.list(BASE)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsAll(resources.stream().map(String::valueOf).toList());
    }
    for (Object resource : resources) {
      assertThat(yaml(String.valueOf(resource))).containsKeys("apiVersion", "kind", "metadata");
    }
  }

  private static @Nullable Object path(Map<String, Object> container, String probe) {
    return map(map(container.get(probe)).get("httpGet")).get("path");
  }

  private static Map<String, Object> yaml(String name) throws IOException {
    return new Yaml().load(Files.readString(BASE.resolve(name)));
  }

  private static List<?> list(@Nullable Object value) {
    return (List<?>) Objects.requireNonNull(value);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(@Nullable Object value) {
    return (Map<String, Object>) Objects.requireNonNull(value);
  }
}
