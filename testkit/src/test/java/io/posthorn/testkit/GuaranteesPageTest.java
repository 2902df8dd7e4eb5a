package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The names of the contracts' tests are the guarantees; the page lists them, topic by topic. */
class GuaranteesPageTest {
  private static final Path PAGE = Path.of("../docs/guarantees.md");
  private static final String START = "<!-- from the contracts -->";

  @Test
  void the_page_lists_every_guarantee_and_no_other() throws IOException {
    String page = Files.readString(PAGE);
    String expected =
        sections(StoreContract.class)
            + sections(RelayContract.class)
            + sections(ConnectorContract.class)
            + sections(SourceContract.class)
            + sections(BusContract.class);
    if (Boolean.getBoolean("posthorn.write")) {
      Files.writeString(PAGE, page.substring(0, page.indexOf(START)) + START + "\n" + expected);
      return;
    }
    assertThat(page.substring(page.indexOf(START) + START.length() + 1))
        .as("run: mvn -pl core,testkit test -Dtest=GuaranteesPageTest -Dposthorn.write=true")
        .isEqualTo(expected);
  }

  private static String sections(Class<?> contract) {
    StringBuilder text = new StringBuilder();
    topics(contract).stream()
        .sorted(Comparator.comparing(Class::getSimpleName))
        .forEach(
            topic -> {
              text.append("\n### ").append(title(topic)).append("\n\n");
              guarantees(topic).forEach(line -> text.append("- ").append(line).append('\n'));
            });
    return "\n## " + title(contract) + "\n" + text;
  }

  private static List<Class<?>> topics(Class<?> contract) {
    List<Class<?>> topics = new ArrayList<>();
    for (Class<?> nested : contract.getDeclaredClasses()) {
      topics.add(nested.getSuperclass());
    }
    return topics;
  }

  private static List<String> guarantees(Class<?> topic) {
    return Arrays.stream(topic.getDeclaredMethods())
        .filter(method -> method.isAnnotationPresent(Test.class))
        .map(Method::getName)
        .map(name -> name.replace("_s_", "'s ").replace('_', ' '))
        .sorted()
        .toList();
  }

  /** {@code DeadLetterContract} becomes {@code Dead letter}. */
  private static String title(Class<?> type) {
    String words =
        type.getSimpleName().replace("Contract", "").replaceAll("(?<=[a-z])(?=[A-Z])", " ");
    return words.charAt(0) + words.substring(1).toLowerCase(java.util.Locale.ROOT);
  }
}
