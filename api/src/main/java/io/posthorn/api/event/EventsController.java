package io.posthorn.api.event;

import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Live figures as server-sent events. */
@RestController
@RequestMapping("/api/v1/databases/{database}/events")
public final class EventsController {
  private final LiveFigures figures;

  EventsController(LiveFigures figures) {
    this.figures = figures;
  }

  /**
   * Sends the figures of the database every two seconds: events {@code figures}, or {@code
   * unavailable} while the database does not answer.
   */
  @GetMapping(produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  @Needs(Right.VIEW)
  public void events(
      OperatedDatabase database, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (figures.listeners() >= LiveFigures.MOST_LISTENERS) {
      throw tooMany();
    }
    response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Accel-Buffering", "no");
    response.flushBuffer();
    Stream stream = new Stream(request.startAsync(), response.getOutputStream());
    stream.open();
    if (!figures.listen(database, stream)) {
      stream.end();
    }
  }

  private static ResponseStatusException tooMany() {
    return new ResponseStatusException(
        HttpStatus.SERVICE_UNAVAILABLE,
        "no events are sent: %d listeners are connected already. Close one, or ask for …/figures now and then."
            .formatted(LiveFigures.MOST_LISTENERS));
  }
}
