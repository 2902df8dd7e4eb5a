package io.posthorn.crashtests;

import java.util.Set;

class CrashWhileSettlingTest extends CrashPointsTest {
  @Override
  Set<Call> calls() {
    return Set.of(Call.SEND, Call.SETTLE);
  }
}
