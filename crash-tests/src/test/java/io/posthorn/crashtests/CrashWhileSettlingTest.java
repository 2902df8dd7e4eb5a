package io.posthorn.crashtests;

import java.util.Set;

class CrashWhileSettlingTest extends CrashPointsTest {
  @Override
  Set<Operation> operations() {
    return Set.of(Operation.SEND, Operation.SETTLE);
  }
}
