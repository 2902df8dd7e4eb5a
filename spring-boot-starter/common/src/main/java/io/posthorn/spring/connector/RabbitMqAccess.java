package io.posthorn.spring.connector;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.jks.JksSslStoreBundle;
import org.springframework.boot.ssl.jks.JksSslStoreDetails;
import org.springframework.core.env.Environment;

/**
 * How to connect to RabbitMQ: as the destination or source says itself, and otherwise as
 * spring.rabbitmq says. Reads it without Spring AMQP, which need not be on the class path.
 *
 * @param brokers {@code host:port,host:port}; empty if none are configured
 * @param tls null means an unencrypted connection
 */
record RabbitMqAccess(
    String brokers, String virtualHost, String user, String password, @Nullable SSLContext tls) {

  /** The settings of the destination or source itself. */
  record Own(
      @Nullable List<String> addresses,
      @Nullable String virtualHost,
      @Nullable String username,
      @Nullable String password,
      @Nullable String sslBundle) {}

  static RabbitMqAccess of(Own own, Environment environment, SslBundles bundles) {
    BindResult<Spring> bound = Binder.get(environment).bind("spring.rabbitmq", Spring.class);
    Spring spring =
        bound.orElseGet(
            () -> Binder.get(environment).bindOrCreate("spring.rabbitmq", Spring.class));
    List<Place> places = spring.places(bound.isBound());
    Place first = places.isEmpty() ? new Place("", null, null, null, false) : places.get(0);
    boolean elsewhere = own.addresses != null;
    String brokers =
        elsewhere
            ? String.join(",", own.addresses)
            : String.join(",", places.stream().map(Place::broker).toList());
    return new RabbitMqAccess(
        brokers,
        either(own.virtualHost, either(first.virtualHost, either(spring.virtualHost, "/"))),
        either(own.username, either(first.user, spring.username)),
        either(own.password, either(first.password, spring.password)),
        own.sslBundle != null
            ? bundles.getBundle(own.sslBundle).createSslContext()
            : elsewhere ? null : spring.ssl.context(bundles, first.secure));
  }

  private static String either(@Nullable String one, String other) {
    return one == null ? other : one;
  }

  record Spring(
      @DefaultValue List<String> addresses,
      @DefaultValue("localhost") String host,
      @Nullable Integer port,
      @DefaultValue("guest") String username,
      @DefaultValue("guest") String password,
      @Nullable String virtualHost,
      @DefaultValue Ssl ssl) {

    private List<Place> places(boolean configured) {
      List<Place> places = new ArrayList<>();
      for (String address : addresses) {
        places.add(Place.of(address));
      }
      if (places.isEmpty() && configured) {
        places.add(Place.of(port == null ? host : host + ":" + port));
      }
      return places;
    }
  }

  /** An address, which may be a URL: amqps://user:password@host:port/virtualHost. */
  record Place(
      String broker,
      @Nullable String user,
      @Nullable String password,
      @Nullable String virtualHost,
      boolean secure) {

    static Place of(String address) {
      URI uri = URI.create(address.contains("://") ? address : "amqp://" + address.strip());
      String broker = uri.getPort() < 0 ? uri.getHost() : uri.getHost() + ":" + uri.getPort();
      String[] login = uri.getUserInfo() == null ? new String[0] : uri.getUserInfo().split(":", 2);
      String path = uri.getPath();
      return new Place(
          String.valueOf(broker),
          login.length == 0 ? null : login[0],
          login.length < 2 ? null : login[1],
          path == null || path.length() < 2 ? null : path.substring(1),
          "amqps".equals(uri.getScheme()));
    }
  }

  record Ssl(
      @Nullable Boolean enabled,
      @Nullable String bundle,
      @Nullable String keyStore,
      @DefaultValue("PKCS12") String keyStoreType,
      @Nullable String keyStorePassword,
      @Nullable String trustStore,
      @DefaultValue("JKS") String trustStoreType,
      @Nullable String trustStorePassword) {

    private @Nullable SSLContext context(SslBundles bundles, boolean secure) {
      if (bundle != null) {
        return bundles.getBundle(bundle).createSslContext();
      }
      if (!secure && !Boolean.TRUE.equals(enabled)) {
        return null;
      }
      JksSslStoreDetails keys =
          keyStore == null
              ? null
              : new JksSslStoreDetails(keyStoreType, null, keyStore, keyStorePassword);
      JksSslStoreDetails trusted =
          trustStore == null
              ? null
              : new JksSslStoreDetails(trustStoreType, null, trustStore, trustStorePassword);
      return SslBundle.of(new JksSslStoreBundle(keys, trusted)).createSslContext();
    }
  }
}
