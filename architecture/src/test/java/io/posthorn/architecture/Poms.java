package io.posthorn.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** The modules of the build by their artifact ids, as their POMs say it. */
record Poms(Map<String, Element> modules) {
  private static final Path ROOT = Path.of("..");
  private static final Set<String> GIVEN_TO_USERS = Set.of("compile", "runtime");

  static Poms ofTheBuild() throws Exception {
    Map<String, Element> modules = new LinkedHashMap<>();
    for (Element module : children(read(ROOT), "modules", "module")) {
      Element pom = read(ROOT.resolve(module.getTextContent()));
      modules.put(text(pom, "artifactId"), pom);
    }
    return new Poms(modules);
  }

  /** Those that have a jar and are deployed. */
  List<String> published() {
    return modules.entrySet().stream()
        .filter(module -> !"pom".equals(text(module.getValue(), "packaging")))
        .filter(module -> !skipsDeploy(module.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Ours that users of this module get with it. */
  List<String> givenWith(String module) {
    return dependencies(children(modules.get(module), "dependencies", "dependency"))
        .filter(dependency -> GIVEN_TO_USERS.contains(text(dependency, "scope", "compile")))
        .map(dependency -> text(dependency, "artifactId"))
        .toList();
  }

  List<String> managedBy(String bom) {
    Element managed = child(modules.get(bom), "dependencyManagement");
    return dependencies(children(managed, "dependencies", "dependency"))
        .map(dependency -> text(dependency, "artifactId"))
        .toList();
  }

  private static Stream<Element> dependencies(List<Element> all) {
    return all.stream().filter(each -> "io.posthorn".equals(text(each, "groupId")));
  }

  private static boolean skipsDeploy(Element pom) {
    Element properties = child(pom, "properties");
    return properties != null && "true".equals(text(properties, "maven.deploy.skip", "false"));
  }

  private static Element read(Path module) throws Exception {
    return DocumentBuilderFactory.newDefaultInstance()
        .newDocumentBuilder()
        .parse(module.resolve("pom.xml").toFile())
        .getDocumentElement();
  }

  private static List<Element> children(Element of, String list, String name) {
    Element holder = child(of, list);
    return holder == null ? List.of() : all(holder, name);
  }

  private static Element child(Element of, String name) {
    List<Element> found = all(of, name);
    return found.isEmpty() ? null : found.get(0);
  }

  private static String text(Element of, String name) {
    return text(of, name, "");
  }

  private static String text(Element of, String name, String otherwise) {
    Element found = child(of, name);
    return found == null ? otherwise : found.getTextContent().strip();
  }

  private static List<Element> all(Element of, String name) {
    List<Element> found = new ArrayList<>();
    for (Node node = of.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getTagName().equals(name)) {
        found.add(element);
      }
    }
    return found;
  }
}
