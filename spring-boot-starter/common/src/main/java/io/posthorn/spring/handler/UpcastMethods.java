package io.posthorn.spring.handler;

import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import io.posthorn.core.message.Upcast;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The steps between versions of types: the methods with {@code @Upcast}, and beans. */
public final class UpcastMethods {
  private final List<Upcast> steps = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private UpcastMethods(ConfigurableListableBeanFactory beans) {
    PayloadReader reader = beans.getBeanProvider(PayloadReader.class).getIfUnique();
    PayloadWriter writer = beans.getBeanProvider(PayloadWriter.class).getIfUnique();
    beans.getBeanProvider(Upcast.class).orderedStream().forEach(steps::add);
    BeanMethods.find(
        beans,
        io.posthorn.spring.Upcast.class,
        (bean, type, method, annotation) ->
            add(new UpcastMethod(bean, type, method, annotation), beans, reader, writer));
    problems.addAll(Upcast.problems(steps));
  }

  private void add(
      UpcastMethod method,
      ConfigurableListableBeanFactory beans,
      @Nullable PayloadReader reader,
      @Nullable PayloadWriter writer) {
    int before = problems.size();
    method.check(reader != null, writer != null, problems);
    if (problems.size() == before) {
      steps.add(method.step(() -> beans.getBean(method.bean()), reader, writer));
    }
  }

  /** Finds the steps. Call it after all beans exist: before, some show only an interface. */
  public static UpcastMethods in(ConfigurableListableBeanFactory beans) {
    return new UpcastMethods(beans);
  }

  /** Everything that is wrong with the methods and the steps. */
  public List<String> problems() {
    return problems;
  }

  /** Returns these types with the steps, or unchanged if a step is wrong. */
  public MessageTypes applyTo(MessageTypes types) {
    return problems.isEmpty() ? types.upcasting(steps.toArray(Upcast[]::new)) : types;
  }
}
