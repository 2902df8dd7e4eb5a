package io.posthorn.crashtests;

import java.util.Set;

class CrashWhileClaimingTest extends CrashPointsTest {
  @Override
  Set<Operation> operations() {
    return Set.of(
        Operation.LOOK,
        Operation.BEAT,
        Operation.CLAIM,
        Operation.READ_AHEAD,
        Operation.CLAIM_PARKED,
        Operation.TEND);
  }
}
