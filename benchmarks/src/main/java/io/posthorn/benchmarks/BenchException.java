package io.posthorn.benchmarks;

/** A benchmark failed. */
final class BenchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BenchException(String what) {
    super(what);
  }

  BenchException(String what, Throwable cause) {
    super(what, cause);
  }
}
