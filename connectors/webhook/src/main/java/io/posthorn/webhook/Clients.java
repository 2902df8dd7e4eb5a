package io.posthorn.webhook;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.HttpsSupport;
import org.apache.hc.core5.concurrent.DefaultThreadFactory;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/** The HTTP client as webhooks need it: it follows nothing, repeats nothing, keeps no cookies. */
final class Clients {
  private Clients() {}

  static CloseableHttpAsyncClient of(WebhookConfig config, GuardedResolver resolver) {
    return HttpAsyncClients.custom()
        .setConnectionManager(connections(config, resolver))
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setConnectionRequestTimeout(timeout(config.timeout()))
                .setResponseTimeout(timeout(config.timeout()))
                .build())
        .setIOReactorConfig(IOReactorConfig.custom().setIoThreadCount(2).build())
        .setThreadFactory(new DefaultThreadFactory("posthorn-webhook-io", true))
        .setUserAgent("Posthorn")
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableCookieManagement()
        .disableAuthCaching()
        .evictExpiredConnections()
        .evictIdleConnections(TimeValue.ofSeconds(30))
        .build();
  }

  private static PoolingAsyncClientConnectionManager connections(
      WebhookConfig config, GuardedResolver resolver) {
    // Both, and said so: the default of this client let the certificate of another host pass.
    ClientTlsStrategyBuilder tls =
        ClientTlsStrategyBuilder.create()
            .setHostVerificationPolicy(HostnameVerificationPolicy.BOTH)
            .setHostnameVerifier(HttpsSupport.getDefaultHostnameVerifier());
    SSLContext yours = config.tls();
    if (yours != null) {
      tls.setSslContext(yours);
    }
    return PoolingAsyncClientConnectionManagerBuilder.create()
        .setDnsResolver(resolver)
        .setTlsStrategy(tls.buildAsync())
        .setDefaultTlsConfig(
            TlsConfig.custom()
                .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1)
                .setHandshakeTimeout(timeout(config.connectTimeout()))
                .build())
        .setDefaultConnectionConfig(
            ConnectionConfig.custom()
                .setConnectTimeout(timeout(config.connectTimeout()))
                .setSocketTimeout(timeout(config.timeout()))
                .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                .build())
        .setMaxConnTotal(config.maxConnections())
        .setMaxConnPerRoute(config.maxConnections())
        .build();
  }

  private static Timeout timeout(Duration duration) {
    return Timeout.of(duration);
  }
}
