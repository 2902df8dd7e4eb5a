package io.posthorn.testkit;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.error.Sanitiser;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * The classes of core and a store, as in a program that has just started: none is initialised yet.
 */
final class FreshClasses extends URLClassLoader {
  private static final String SERVICES = "META-INF/services/io.posthorn.";

  private final boolean services;

  /**
   * @param services whether the lists of services are found
   * @param ofStore any class of the store
   */
  FreshClasses(boolean services, Class<?> ofStore) {
    super(
        Stream.of(Sanitiser.class, ofStore, Logger.class)
            .map(FreshClasses::place)
            .toArray(URL[]::new),
        ClassLoader.getPlatformClassLoader());
    this.services = services;
  }

  private static URL place(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    return name.startsWith(SERVICES) && !services
        ? Collections.emptyEnumeration()
        : super.getResources(name);
  }

  /** The outcome that the classifier gives an error of the database, as text. */
  String classify(SQLException error) {
    try {
      Class<?> classifier = loadClass(Classifier.class.getName());
      return String.valueOf(
          classifier
              .getMethod("classify", Throwable.class)
              .invoke(classifier.getField("DEFAULT").get(null), error));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  String clean(String text) {
    try {
      return (String)
          loadClass(Sanitiser.class.getName()).getMethod("clean", String.class).invoke(null, text);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
