package io.posthorn.webhook;

import io.posthorn.core.error.Sanitiser;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
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
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds the HTTP client for webhooks. It follows no redirects, retries nothing, decompresses
 * nothing, keeps no cookies, and limits how much it reads.
 */
final class Clients {
  private static final Logger LOG = LoggerFactory.getLogger(Clients.class);

  /** In bytes: the longest status line, header, or chunk header. */
  private static final int LINE = 8 * 1024;

  private static final int HEADERS = 100;

  private Clients() {}

  static CloseableHttpAsyncClient of(
      WebhookConfig config, GuardedResolver resolver, ThreadFactory threads) {
    return HttpAsyncClients.custom()
        .setConnectionManager(connections(config, resolver))
        .setDefaultRequestConfig(
            RequestConfig.custom()
                .setConnectionRequestTimeout(timeout(config.timeout()))
                .setResponseTimeout(timeout(config.timeout()))
                .setProtocolUpgradeEnabled(false)
                .build())
        .setHttp1Config(
            Http1Config.custom().setMaxLineLength(LINE).setMaxHeaderCount(HEADERS).build())
        .setIoSessionDecorator(session -> new BoundedSession(session, config.timeout()))
        .setIOReactorConfig(IOReactorConfig.custom().setIoThreadCount(2).build())
        .setIoReactorExceptionCallback(
            e -> LOG.warn("A webhook's HTTP client reports a failure", Sanitiser.clean(e)))
        .setThreadFactory(threads)
        .setUserAgent("Posthorn")
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableContentCompression()
        .disableCookieManagement()
        .disableAuthCaching()
        .evictExpiredConnections()
        .evictIdleConnections(TimeValue.ofSeconds(30))
        .build();
  }

  private static PoolingAsyncClientConnectionManager connections(
      WebhookConfig config, GuardedResolver resolver) {
    // Both are set explicitly: the client's default accepted the certificate of another host.
    ClientTlsStrategyBuilder tls =
        ClientTlsStrategyBuilder.create()
            .setHostVerificationPolicy(HostnameVerificationPolicy.BOTH)
            .setHostnameVerifier(HttpsSupport.getDefaultHostnameVerifier());
    SSLContext context = config.tls();
    if (context != null) {
      tls.setSslContext(context);
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
