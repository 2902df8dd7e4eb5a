package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.OutputStream;

/** Responses that are meant to exhaust the client's memory or time, and their expected outcomes. */
enum Attack {
  A_STATUS_LINE_WITHOUT_END("HTTP/1.1 200 ", "x", "Unavailable HTTP_PROTOCOL"),
  EMPTY_LINES_BEFORE_THE_STATUS("", "\r\n", "Unavailable HTTP_PROTOCOL"),
  A_HEADER_LINE_WITHOUT_END("HTTP/1.1 200 OK\r\nx: ", "y", "Unavailable HTTP_PROTOCOL"),
  SMALL_HEADERS_WITHOUT_END("HTTP/1.1 200 OK\r\n", "x: y\r\n", "Unavailable HTTP_PROTOCOL"),
  LARGE_HEADERS_WITHOUT_END(
      "HTTP/1.1 200 OK\r\n", "x: " + "y".repeat(4_000) + "\r\n", "Unavailable HTTP_PROTOCOL"),
  FOLDED_HEADERS_WITHOUT_END("HTTP/1.1 200 OK\r\nx: y\r\n", " y\r\n", "Unavailable HTTP_PROTOCOL"),
  CONTINUES_WITHOUT_END("", "HTTP/1.1 100 Continue\r\n\r\n", "Unavailable HTTP_PROTOCOL"),
  HINTS_WITHOUT_END("", "HTTP/1.1 103 Hints\r\nx: y\r\n\r\n", "Unavailable HTTP_PROTOCOL"),
  A_BODY_WITHOUT_END("HTTP/1.1 503 X\r\n\r\n", "x", "Failed HTTP_503"),
  A_SUCCESS_WITHOUT_END("HTTP/1.1 200 X\r\n\r\n", "x", "Sent"),
  CHUNKS_WITHOUT_END(chunked(503), "1\r\nx\r\n", "Failed HTTP_503"),
  A_CHUNK_WITHOUT_END(chunked(503) + "7fffffffffffffff\r\n", "x", "Failed HTTP_503"),
  A_CHUNK_EXTENSION_WITHOUT_END(chunked(503) + "1;", "x", "Failed HTTP_503"),
  CHUNK_EXTENSIONS_WITHOUT_END(
      chunked(503), "1;" + "x".repeat(4_000) + "\r\nx\r\n", "Failed HTTP_503"),
  A_CHUNK_OF_LESS_THAN_NOTHING(chunked(503) + "-5\r\n", "x", "Failed HTTP_503"),
  A_TRAILER_WITHOUT_END(chunked(503) + "0\r\nx: ", "y", "Failed HTTP_503"),
  TRAILERS_WITHOUT_END(chunked(503) + "0\r\n", "x: y\r\n", "Failed HTTP_503"),
  TRAILERS_OF_A_SUCCESS_WITHOUT_END(chunked(200) + "0\r\n", "x: y\r\n", "Sent"),
  NO_HTTP("220 smtp ready\r\n\r\n", "x", "Unavailable HTTP_PROTOCOL"),
  TWO_LENGTHS(
      "HTTP/1.1 200 X\r\nContent-Length: 1\r\nContent-Length: -2\r\n\r\n",
      "x",
      "Unavailable HTTP_PROTOCOL"),
  A_LENGTH_OF_LESS_THAN_NOTHING(
      "HTTP/1.1 200 X\r\nContent-Length: -2\r\n\r\n", "x", "Unavailable HTTP_PROTOCOL"),
  AN_UPGRADE_NOBODY_ASKED_FOR(
      "HTTP/1.1 101 X\r\nUpgrade: websocket\r\n\r\n", "x", "Unavailable HTTP_PROTOCOL");

  /** The expected result of {@link Sent#text}. */
  final String outcome;

  private final String begin;
  private final String again;

  Attack(String begin, String again, String outcome) {
    this.begin = begin;
    this.again = again;
    this.outcome = outcome;
  }

  private static String chunked(int status) {
    return "HTTP/1.1 " + status + " X\r\nTransfer-Encoding: chunked\r\n\r\n";
  }

  void run(OutputStream out) throws IOException {
    out.write(begin.getBytes(ISO_8859_1));
    HostileServer.flood(out, again);
  }
}
