package io.posthorn.server.file;

import io.posthorn.postgresql.Tables;
import io.posthorn.spring.connector.DestinationProperties;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One database with an outbox.
 *
 * @param url JDBC address, without user and password
 * @param user role to connect as; default: the name of the operating system's user
 * @param password password of the role
 * @param schema schema of the tables
 * @param prefix prefix of the tables' names
 * @param migrate whether to create and update the tables at start. If not, run posthorn schema
 *     migrate
 * @param application the owner of the destinations, and the default sender of messages
 * @param acceptTypes types of messages that the HTTP API may add; default: none
 * @param destinations where the messages are delivered, by name
 */
public record DatabaseSettings(
    @Required String url,
    @Nullable String user,
    @Nullable String password,
    @DefaultValue("public") String schema,
    @DefaultValue("posthorn_") String prefix,
    @DefaultValue("false") boolean migrate,
    @DefaultValue("posthorn") String application,
    @DefaultValue List<String> acceptTypes,
    @Required @DefaultValue Map<String, DestinationProperties> destinations) {

  public Tables tables() {
    return new Tables(schema, prefix);
  }

  @Override
  public String toString() {
    return "DatabaseSettings[url=%s, user=%s, destinations=%s]"
        .formatted(url, user, destinations.keySet());
  }
}
