package io.posthorn.api.error;

import io.posthorn.api.json.PosthornJson;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/** Writes problem documents where no handler method was reached. */
public final class ProblemAnswer {
  private ProblemAnswer() {}

  /** Answers with this status and text. */
  public static void write(HttpServletResponse response, HttpStatus status, String detail)
      throws IOException {
    response.setStatus(status.value());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    response.setCharacterEncoding("UTF-8");
    Problem problem =
        new Problem("about:blank", status.getReasonPhrase(), status.value(), detail, null);
    response.getOutputStream().write(PosthornJson.MAPPER.writeValueAsBytes(problem));
  }
}
