package io.posthorn.console.live;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.console.overview.OverviewOf;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Pages;
import io.posthorn.console.page.Viewer;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends new figures to open pages. There is one stream per tab, but a database is asked once for
 * all of them, and not at all while nobody looks. After half an hour a stream ends and the browser
 * opens another, so that a right that was taken away does not last.
 */
@RestController
public final class LiveStream implements DisposableBean {
  private static final Duration EVERY = Duration.ofSeconds(2);
  private static final Duration LONGEST = Duration.ofMinutes(30);
  private static final int MOST = 500;
  private static final int MOST_OF_ONE = 50;
  private static final int SENDERS = 16;
  private static final MediaType TEXT = MediaType.parseMediaType("text/plain;charset=utf-8");

  private final Live live;
  private final Pages pages;
  private final Map<String, Channel> channels = new ConcurrentHashMap<>();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(LiveStream::thread);
  private final ExecutorService work = Executors.newCachedThreadPool(LiveStream::thread);
  private final ExecutorService senders = Executors.newFixedThreadPool(SENDERS, LiveStream::thread);

  private final ScheduledFuture<?> ticking;

  /**
   * A tab.
   *
   * @param sending whether an event is on its way to it; a slow reader misses others meanwhile
   */
  private record Subscriber(
      SseEmitter emitter,
      Viewer viewer,
      Set<Right> rights,
      Map<String, String> last,
      AtomicBoolean sending) {}

  /**
   * The tabs of a database.
   *
   * @param asking whether it is being asked; a slow database is not asked again meanwhile
   */
  private record Channel(
      OperatedDatabase database, List<Subscriber> subscribers, AtomicBoolean asking) {}

  /** A stream in UTF-8, whatever the converters of the application do. */
  private static final class Utf8Emitter extends SseEmitter {
    Utf8Emitter() {
      super(LONGEST.toMillis());
    }

    @Override
    protected void extendResponse(ServerHttpResponse response) {
      super.extendResponse(response);
      response
          .getHeaders()
          .setContentType(new MediaType(MediaType.TEXT_EVENT_STREAM, StandardCharsets.UTF_8));
    }
  }

  /** Sends these figures. */
  public LiveStream(Live live, Pages pages) {
    this.live = live;
    this.pages = pages;
    ticking =
        clock.scheduleWithFixedDelay(
            this::tick, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "posthorn-console-live");
    thread.setDaemon(true);
    return thread;
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/live")
  SseEmitter listen(Caller caller, OperatedDatabase database, HttpServletResponse response) {
    Channel channel =
        channels.computeIfAbsent(
            database.name(),
            name -> new Channel(database, new CopyOnWriteArrayList<>(), new AtomicBoolean()));
    String name = caller.name();
    boolean tooMany =
        channel.subscribers().stream().filter(one -> one.viewer().name().equals(name)).count()
            >= MOST_OF_ONE;
    if (tooMany || channel.subscribers().size() >= MOST) {
      throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
    }
    response.setHeader("X-Accel-Buffering", "no");
    response.setHeader("Cache-Control", "no-store");
    SseEmitter emitter = new Utf8Emitter();
    Set<Right> rights =
        Arrays.stream(Right.values())
            .filter(right -> caller.may(right, database.name()))
            .collect(Collectors.toUnmodifiableSet());
    Subscriber one =
        new Subscriber(
            emitter,
            new Viewer(caller, database.name()),
            rights,
            new HashMap<>(),
            new AtomicBoolean());
    emitter.onCompletion(() -> channel.subscribers().remove(one));
    emitter.onTimeout(emitter::complete);
    emitter.onError(gone -> channel.subscribers().remove(one));
    channel.subscribers().add(one);
    ask(channel);
    return emitter;
  }

  private void tick() {
    for (Channel channel : channels.values()) {
      if (!channel.subscribers().isEmpty()) {
        ask(channel);
      }
    }
  }

  private void ask(Channel channel) {
    if (channel.asking().compareAndSet(false, true)) {
      work.execute(
          () -> {
            try {
              send(channel);
            } finally {
              channel.asking().set(false);
            }
          });
    }
  }

  private void send(Channel channel) {
    Sample sample;
    try {
      sample = live.now(channel.database());
    } catch (RuntimeException e) {
      channel.subscribers().forEach(one -> later(one, () -> send(one, "away", "-")));
      return;
    }
    Links links = pages.links(channel.database());
    var overview = new OverviewOf(sample, live.history(channel.database().name()), links).make();
    Map<Set<Right>, String> parts = new HashMap<>();
    for (Subscriber one : channel.subscribers()) {
      String html =
          parts.computeIfAbsent(
              one.rights(),
              rights ->
                  pages.part(
                      links,
                      one.viewer(),
                      "overview",
                      Set.of("live", "rows"),
                      Map.of("o", overview)));
      later(
          one,
          () -> {
            boolean same = html.equals(one.last().put("html", html));
            send(one, same ? "same" : "figures", same ? "-" : html);
          });
    }
  }

  /** A write blocks while its reader does not read, so it must not be in the way of others. */
  private void later(Subscriber one, Runnable sending) {
    if (one.sending().compareAndSet(false, true)) {
      senders.execute(
          () -> {
            try {
              sending.run();
            } finally {
              one.sending().set(false);
            }
          });
    }
  }

  private static void send(Subscriber one, String event, String data) {
    try {
      one.emitter().send(SseEmitter.event().name(event).data(data, TEXT));
    } catch (IOException | IllegalStateException gone) {
      one.emitter().completeWithError(gone);
    }
  }

  @Override
  public void destroy() {
    ticking.cancel(true);
    clock.shutdownNow();
    channels.values().forEach(one -> one.subscribers().forEach(each -> each.emitter().complete()));
    work.shutdownNow();
    senders.shutdownNow();
  }
}
