package io.posthorn.server.file;

import io.posthorn.spring.connector.DestinationProperties;
import io.posthorn.spring.connector.PropertyConnectors;
import io.posthorn.spring.connector.Surroundings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Makes the destinations of the file, as the Spring starters make those of properties. */
public final class FileConnectors {
  private FileConnectors() {}

  /** Makes the destinations of a database; no connection is opened yet. */
  public static PropertyConnectors of(DatabaseSettings database, ServerFile file) {
    return of(
        database.destinations(),
        database.application(),
        TlsBundles.of(file.tlsBundles()),
        new ArrayList<>());
  }

  static PropertyConnectors of(
      Map<String, DestinationProperties> destinations,
      String application,
      SslBundles bundles,
      List<String> problems) {
    // Only the file counts: nothing comes from spring.kafka or spring.rabbitmq.
    StandardEnvironment nothing = new StandardEnvironment();
    List<String> names =
        nothing.getPropertySources().stream().map(PropertySource::getName).toList();
    names.forEach(nothing.getPropertySources()::remove);
    return PropertyConnectors.of(
        destinations,
        Map.of(),
        new Surroundings(nothing, bundles, "/" + application, new StaticListableBeanFactory()),
        /* used= */ true,
        problems);
  }
}
