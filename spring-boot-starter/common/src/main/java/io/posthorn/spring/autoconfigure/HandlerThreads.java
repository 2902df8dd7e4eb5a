package io.posthorn.spring.autoconfigure;

import java.util.concurrent.ThreadFactory;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * The threads that run handlers: virtual ones if the application enables them and Java has them.
 */
final class HandlerThreads {
  /** The name of the bean that creates the threads; an application may replace it. */
  static final String BEAN = "posthornHandlerThreads";

  private HandlerThreads() {}

  // Spring Boot has the same condition, but in a class whose package differs between its lines.
  static ThreadFactory in(Environment environment) {
    boolean virtual =
        environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
            && JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE);
    return virtual ? new VirtualThreadTaskExecutor().getVirtualThreadFactory() : Thread::new;
  }
}
