package io.posthorn.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a container engine does with an image, without one: it unpacks the layers, and runs the
 * image's program with its user, its own mounts and a root file system that cannot be written.
 */
final class Container {
  // Linux only, as the image itself. Root keeps its ids; others get a user namespace, where they
  // can only be root.
  private static final String RUN =
      """
      set -e
      mount --bind "$0" "$0"
      mount --rbind /dev "$0/dev"
      mount --rbind /proc "$0/proc"
      mount -t tmpfs -o mode=1777 tmpfs "$0/tmp"
      mount -o remount,bind,ro "$0"
      cd "$0"
      exec chroot $USERSPEC "$0" "$@"
      """;

  private final Path root;
  private final JsonNode config;

  private Container(Path root, JsonNode config) {
    this.root = root;
    this.config = config;
  }

  /** Unpacks an image, as {@code docker save} writes them. */
  static Container of(Path image, Path directory) throws IOException, InterruptedException {
    Path unpacked = Files.createDirectory(directory.resolve("image"));
    Path root = Files.createDirectory(directory.resolve("root"));
    tar("-xf", image, unpacked);
    ObjectMapper json = new ObjectMapper();
    JsonNode manifest = json.readTree(unpacked.resolve("manifest.json").toFile()).get(0);
    for (JsonNode layer : manifest.get("Layers")) {
      tar("-xzf", unpacked.resolve(layer.asText()), root);
    }
    for (String mount : List.of("dev", "proc")) {
      Files.createDirectories(root.resolve(mount));
    }
    JsonNode config = json.readTree(unpacked.resolve(manifest.get("Config").asText()).toFile());
    return new Container(root, config.get("config"));
  }

  private static void tar(String what, Path archive, Path into)
      throws IOException, InterruptedException {
    Process tar =
        new ProcessBuilder("tar", what, archive.toString(), "-C", into.toString())
            .inheritIO()
            .start();
    if (tar.waitFor() != 0) {
      throw new IOException(
          "%s was not unpacked: tar ended with %d".formatted(archive, tar.exitValue()));
    }
  }

  Path root() {
    return root;
  }

  String user() {
    return config.get("User").asText();
  }

  /** What the image runs if it is told nothing else. */
  List<String> command() {
    return texts("Cmd");
  }

  /** Starts the image's program with these arguments; its output goes to the file. */
  Process start(File output, List<String> arguments) throws IOException {
    boolean isRoot = System.getProperty("user.name").equals("root");
    List<String> command = new ArrayList<>(List.of("unshare", "--mount"));
    if (!isRoot) {
      command.addAll(List.of("--user", "--map-root-user"));
    }
    command.addAll(List.of("sh", "-c", RUN, root.toString()));
    command.addAll(texts("Entrypoint"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().put("PATH", System.getenv("PATH"));
    builder.environment().put("USERSPEC", isRoot ? "--userspec=" + user() : "");
    return builder.redirectErrorStream(true).redirectOutput(output).start();
  }

  private List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    config.get(name).forEach(text -> texts.add(text.asText()));
    return texts;
  }
}
