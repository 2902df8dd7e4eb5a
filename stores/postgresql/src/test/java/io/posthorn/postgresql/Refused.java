package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts that a call is refused with an error code. */
public final class Refused {
  private Refused() {}

  public static AbstractThrowableAssert<?, ? extends Throwable> with(
      ErrorCode code, ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageStartingWith(code.text());
  }
}
