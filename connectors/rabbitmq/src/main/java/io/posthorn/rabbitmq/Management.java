package io.posthorn.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/** Queries the management plugin, the only source of the policies that apply to a queue. */
final class Management {
  /** In bytes. A response takes a few hundred for the queue, and as many for each consumer. */
  static final int LARGEST = 4 << 20;

  private Management() {}

  /**
   * Returns all settings in force, from the queue itself and from policies, without {@code x-}.
   *
   * @throws IOException if the plugin does not return them
   */
  static Map<String, String> settings(RabbitMqSourceConfig config, URI management)
      throws IOException, InterruptedException {
    JsonObject queue =
        JsonObject.read(get(config, management))
            .orElseThrow(
                () -> new IOException("the management plugin's answer is not a JSON object"));
    Map<String, String> settings = new HashMap<>();
    // Where an argument and a policy limit the same thing, the smaller counts. Either is worth
    // reporting.
    queue.object("effective_policy_definition").ifPresent(policy -> put(policy, settings));
    queue.object("arguments").ifPresent(arguments -> put(arguments, settings));
    for (String[] field :
        new String[][] {
          {"type", "queue-type"}, {"durable", "durable"}, {"auto_delete", "auto-delete"}
        }) {
      String value = queue.text(field[0]);
      if (value != null) {
        settings.put(field[1], value);
      }
    }
    return settings;
  }

  private static void put(JsonObject object, Map<String, String> settings) {
    for (String name : object.names()) {
      String value = object.text(name);
      if (value != null) {
        settings.put(name.replaceFirst("^x-", ""), value);
      }
    }
  }

  private static byte[] get(RabbitMqSourceConfig config, URI management)
      throws IOException, InterruptedException {
    HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(config.connectTimeout());
    SSLContext tls = config.tls();
    if (tls != null) {
      client.sslContext(tls);
    }
    Credentials credentials = config.credentials().get();
    String login = credentials.user() + ":" + credentials.password();
    HttpRequest request =
        HttpRequest.newBuilder(
                management.resolve(
                    "/api/queues/%s/%s"
                        .formatted(segment(config.virtualHost()), segment(config.queue()))))
            .header(
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8)))
            .build();
    HttpResponse<byte[]> response = exchange(client.build(), request, config.connectTimeout());
    if (response.statusCode() != 200) {
      throw new IOException("the management plugin answered " + response.statusCode());
    }
    return response.body();
  }

  /** Limits the time of the whole exchange; the client's own limit covers only the headers. */
  private static HttpResponse<byte[]> exchange(
      HttpClient client, HttpRequest request, Duration most)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        client.sendAsync(request, head -> new BoundedBody(LARGEST));
    try {
      return answer.get(most.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException("the management plugin did not answer within " + most, e);
    } catch (ExecutionException e) {
      throw new IOException("the request to the management plugin failed: " + e.getCause(), e);
    } finally {
      // Closes the connection of an unfinished exchange.
      answer.cancel(true);
    }
  }

  private static String segment(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }
}
