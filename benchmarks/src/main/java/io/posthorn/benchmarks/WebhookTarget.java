package io.posthorn.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.Envelope;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.Transport;
import io.posthorn.webhook.WebhookConfig;
import io.posthorn.webhook.WebhookConnector;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.Semaphore;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.entity.AsyncEntityProducers;
import org.apache.hc.core5.http.nio.entity.DiscardingEntityConsumer;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http.nio.support.BasicResponseConsumer;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.jspecify.annotations.Nullable;

/** An HTTP endpoint without TLS, with connections that are kept open and signed messages. */
final class WebhookTarget implements Target {
  private static final EnvelopeFormat ENVELOPE = EnvelopeFormat.cloudEvents("/bench");
  private static final int CONNECTIONS = 50;
  private static final byte[] SECRET = new byte[32];

  private final HttpReceiver receiver = new HttpReceiver();

  private String url() {
    return "http://127.0.0.1:" + receiver.port() + "/hooks";
  }

  @Override
  public Connector connector() {
    return new WebhookConnector(
        WebhookConfig.to(url(), ENVELOPE)
            .signedWith("whsec_" + Base64.getEncoder().encodeToString(SECRET))
            .plainHttp()
            .allowNetworks("127.0.0.1/32")
            .maxConnections(CONNECTIONS)
            .build());
  }

  @Override
  public Client client() {
    return new Plain(URI.create(url()));
  }

  @Override
  public void close() {
    receiver.close();
  }

  private static final class Plain implements Client {
    private final URI url;
    private final CloseableHttpAsyncClient client =
        HttpAsyncClients.custom()
            .setConnectionManager(
                PoolingAsyncClientConnectionManagerBuilder.create()
                    .setMaxConnTotal(CONNECTIONS)
                    .setMaxConnPerRoute(CONNECTIONS)
                    .build())
            .setIOReactorConfig(IOReactorConfig.custom().setIoThreadCount(2).build())
            .disableAutomaticRetries()
            .build();
    private final Mac mac;
    // One request in flight and one waiting per connection.
    private final Semaphore room = new Semaphore(2 * CONNECTIONS);
    private volatile @Nullable Exception problem;

    Plain(URI url) {
      this.url = url;
      try {
        this.mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
      } catch (GeneralSecurityException e) {
        throw new BenchException("messages cannot be signed", e);
      }
      client.start();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback reports the result
    public void send(Message message, Runnable acknowledged) {
      room.acquireUninterruptibly();
      Exception before = problem;
      if (before != null) {
        throw new BenchException("the client did not post", before);
      }
      client.execute(
          request(message),
          new BasicResponseConsumer<>(new DiscardingEntityConsumer<>()),
          new FutureCallback<>() {
            @Override
            public void completed(org.apache.hc.core5.http.Message<HttpResponse, Object> answer) {
              room.release();
              if (answer.getHead().getCode() / 100 == 2) {
                acknowledged.run();
              } else {
                problem = new BenchException("the receiver answered " + answer.getHead());
              }
            }

            @Override
            public void failed(Exception cause) {
              problem = cause;
              room.release();
            }

            @Override
            public void cancelled() {
              room.release();
            }
          });
    }

    private BasicRequestProducer request(Message message) {
      Envelope envelope = ENVELOPE.envelop(message, Transport.HTTP);
      BasicHttpRequest request = new BasicHttpRequest(Method.POST, url);
      envelope.headers().forEach(request::addHeader);
      request.addHeader("content-type", envelope.contentType());
      long timestamp = Instant.now().getEpochSecond();
      mac.update((message.id() + "." + timestamp + ".").getBytes(UTF_8));
      String signature = Base64.getEncoder().encodeToString(mac.doFinal(envelope.body()));
      request.addHeader("webhook-id", message.id().toString());
      request.addHeader("webhook-timestamp", Long.toString(timestamp));
      request.addHeader("webhook-signature", "v1," + signature);
      return new BasicRequestProducer(request, AsyncEntityProducers.create(envelope.body(), null));
    }

    @Override
    public void close() {
      client.close(CloseMode.GRACEFUL);
    }
  }
}
