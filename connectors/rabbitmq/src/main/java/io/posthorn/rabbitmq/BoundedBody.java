package io.posthorn.rabbitmq;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Reads an answer, and leaves off as soon as it is too large. */
final class BoundedBody implements BodySubscriber<byte[]> {
  private final BodySubscriber<byte[]> all = BodySubscribers.ofByteArray();
  private final int most;
  private long read;
  private Flow.@Nullable Subscription subscription;

  BoundedBody(int most) {
    this.most = most;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return all.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    all.onSubscribe(given);
  }

  @Override
  public void onNext(List<ByteBuffer> items) {
    if (read > most) {
      // It was on its way when this left off.
      return;
    }
    for (ByteBuffer item : items) {
      read += item.remaining();
    }
    if (read <= most) {
      all.onNext(items);
      return;
    }
    if (subscription != null) {
      subscription.cancel();
    }
    all.onError(new IOException("the answer is larger than " + most + " bytes"));
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
