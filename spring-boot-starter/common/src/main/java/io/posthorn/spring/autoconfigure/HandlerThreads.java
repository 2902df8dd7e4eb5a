package io.posthorn.spring.autoconfigure;

import java.util.concurrent.ThreadFactory;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** The threads that handlers run in: virtual ones where the application wants and Java has them. */
final class HandlerThreads {
  /** Name of the bean that makes them, which an application may replace. */
  static final String BEAN = "posthornHandlerThreads";

  private HandlerThreads() {}

  // Spring Boot has the same condition, in a class that is at another place in each line.
  static ThreadFactory in(Environment environment) {
    boolean virtual =
        environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
            && JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE);
    return virtual ? new VirtualThreadTaskExecutor().getVirtualThreadFactory() : Thread::new;
  }
}
