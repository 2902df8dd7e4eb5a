package io.posthorn.rabbitmq;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Reads a response body, and stops as soon as it is larger than the limit. */
final class BoundedBody implements BodySubscriber<byte[]> {
  private final BodySubscriber<byte[]> all = BodySubscribers.ofByteArray();
  private final int limit;
  private long read;
  private Flow.@Nullable Subscription subscription;

  BoundedBody(int limit) {
    this.limit = limit;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return all.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription subscribed) {
    subscription = subscribed;
    all.onSubscribe(subscribed);
  }

  @Override
  public void onNext(List<ByteBuffer> items) {
    if (read > limit) {
      // These buffers were already on their way when reading stopped.
      return;
    }
    for (ByteBuffer item : items) {
      read += item.remaining();
    }
    if (read <= limit) {
      all.onNext(items);
      return;
    }
    if (subscription != null) {
      subscription.cancel();
    }
    all.onError(new IOException("the answer is larger than " + limit + " bytes"));
  }

  @Override
  public void onError(Throwable thrown) {
    all.onError(thrown);
  }

  @Override
  public void onComplete() {
    all.onComplete();
  }
}
