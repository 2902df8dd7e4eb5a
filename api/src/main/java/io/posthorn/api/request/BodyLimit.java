package io.posthorn.api.request;

import io.posthorn.api.error.ProblemAnswer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;

/** Refuses bodies that are too large, whether or not they say so beforehand. */
public final class BodyLimit extends OncePerRequestFilter {
  /** The most bytes of a body: 8 MiB. */
  public static final int MOST_BYTES = 8 << 20;

  /** What the caller is told. */
  public static final String TEXT =
      "nothing was done: the body has more than 8 MiB. Send less at once.";

  /** A body was longer than the limit. */
  public static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1L;

    TooLarge() {
      super(TEXT);
    }
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request.getContentLengthLong() > MOST_BYTES) {
      response.setHeader("Connection", "close");
      ProblemAnswer.write(response, HttpStatus.CONTENT_TOO_LARGE, TEXT);
      return;
    }
    chain.doFilter(request.getContentLengthLong() < 0 ? new Counted(request) : request, response);
  }

  private static final class Counted extends HttpServletRequestWrapper {
    Counted(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      return new CountedStream(super.getInputStream());
    }
  }

  private static final class CountedStream extends ServletInputStream {
    private final ServletInputStream from;
    private long read;

    CountedStream(ServletInputStream from) {
      this.from = from;
    }

    @Override
    public int read() throws IOException {
      int one = from.read();
      count(one < 0 ? 0 : 1);
      return one;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int some = from.read(into, offset, length);
      count(Math.max(some, 0));
      return some;
    }

    private void count(int more) throws TooLarge {
      read += more;
      if (read > MOST_BYTES) {
        throw new TooLarge();
      }
    }

    @Override
    public boolean isFinished() {
      return from.isFinished();
    }

    @Override
    public boolean isReady() {
      return from.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      from.setReadListener(listener);
    }
  }
}
