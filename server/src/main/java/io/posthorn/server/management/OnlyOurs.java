package io.posthorn.server.management;

import io.posthorn.server.file.ServerFile;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.web.context.support.StandardServletEnvironment;

/** Neither environment variables nor system properties change what the file says. */
public final class OnlyOurs extends StandardServletEnvironment {
  /** An environment with these settings only. */
  public OnlyOurs(Map<String, Object> settings) {
    List<String> others = getPropertySources().stream().map(PropertySource::getName).toList();
    others.forEach(getPropertySources()::remove);
    getPropertySources().addFirst(new MapPropertySource("posthorn", settings));
  }

  /** What holds for both ports: above all the log. */
  public static Map<String, Object> common(ServerFile file) {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("spring.main.web-application-type", "servlet");
    settings.put("spring.config.location", "optional:classpath:/io/posthorn/server/");
    settings.put("spring.application.name", "posthorn");
    settings.put("logging.level.root", "INFO");
    // What these say, Posthorn says itself where it matters.
    for (String quiet : List.of("org.springframework", "org.apache", "com.rabbitmq")) {
      settings.put("logging.level." + quiet, "WARN");
    }
    settings.put("logging.level.com.zaxxer.hikari", "ERROR");
    if (file.logging() == ServerFile.Logging.JSON) {
      settings.put("logging.structured.format.console", "logstash");
    }
    return settings;
  }
}
