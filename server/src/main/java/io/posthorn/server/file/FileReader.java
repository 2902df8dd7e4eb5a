package io.posthorn.server.file;

import io.posthorn.server.file.FileCheck.Checked;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.yaml.snakeyaml.nodes.MappingNode;

/** Reads the server's file and validates the whole of it at once. */
public final class FileReader {
  private FileReader() {}

  /**
   * What came of reading.
   *
   * @param settings null if there are problems
   * @param problems all of them, in the order of the file
   * @param readableByAll the files with secrets that every user of this host may read
   */
  public record Result(
      @Nullable ServerFile settings, List<Problem> problems, List<Path> readableByAll) {}

  /**
   * Reads a file. Nothing that it says of a problem contains a secret.
   *
   * @param environment the variables that replace {@code ${NAME}}
   */
  public static Result read(Path file, Map<String, String> environment) {
    List<Problem> problems = new ArrayList<>();
    MappingNode root = YamlTree.parse(file, problems);
    if (root == null) {
      return new Result(null, problems, List.of());
    }
    Path directory = file.toAbsolutePath().getParent();
    TreeReader tree =
        new TreeReader(
            new Variables(environment),
            new SecretFile(directory == null ? Path.of("/") : directory),
            problems);
    tree.read(root, ServerFile.class);
    Binder binder = new Binder(new MapConfigurationPropertySource(tree.values()));
    Checked parts = new Checked(tree.places(), binder, List.copyOf(problems));
    new FileCheck(parts, problems).check();
    ServerFile settings =
        problems.isEmpty() ? binder.bind("file", Bindable.of(ServerFile.class)).get() : null;
    return new Result(
        settings,
        problems.stream().sorted().distinct().toList(),
        List.copyOf(tree.readableByAll()));
  }
}
