package io.posthorn.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutionException;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.impl.bootstrap.AsyncServerBootstrap;
import org.apache.hc.core5.http.impl.bootstrap.HttpAsyncServer;
import org.apache.hc.core5.http.nio.AsyncRequestConsumer;
import org.apache.hc.core5.http.nio.AsyncServerRequestHandler;
import org.apache.hc.core5.http.nio.entity.DiscardingEntityConsumer;
import org.apache.hc.core5.http.nio.support.AsyncResponseBuilder;
import org.apache.hc.core5.http.nio.support.BasicRequestConsumer;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.jspecify.annotations.Nullable;

/** An HTTP endpoint on this machine that reads each request completely and answers 204. */
final class HttpReceiver implements AutoCloseable {
  private final HttpAsyncServer server =
      AsyncServerBootstrap.bootstrap()
          .setIOReactorConfig(
              IOReactorConfig.custom().setIoThreadCount(1).setTcpNoDelay(true).build())
          .setCanonicalHostName("127.0.0.1")
          .register("*", new Reader())
          .create();
  private final int port;

  HttpReceiver() {
    server.start();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try {
      this.port =
          ((InetSocketAddress) server.listen(any, URIScheme.HTTP).get().getAddress()).getPort();
    } catch (ExecutionException e) {
      throw new BenchException("the receiver did not start", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchException("interrupted", e);
    }
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    server.close(CloseMode.IMMEDIATE);
  }

  private static final class Reader
      implements AsyncServerRequestHandler<Message<HttpRequest, Void>> {
    @Override
    public AsyncRequestConsumer<Message<HttpRequest, Void>> prepare(
        HttpRequest request, @Nullable EntityDetails entity, HttpContext context) {
      return new BasicRequestConsumer<>(entity == null ? null : new DiscardingEntityConsumer<>());
    }

    @Override
    public void handle(
        Message<HttpRequest, Void> message, ResponseTrigger trigger, HttpContext context)
        throws HttpException, IOException {
      trigger.submitResponse(
          AsyncResponseBuilder.create(HttpStatus.SC_NO_CONTENT).build(), context);
    }
  }
}
