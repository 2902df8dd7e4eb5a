package io.posthorn.crashtests;

import java.util.Set;

class CrashWhileClaimingTest extends CrashPointsTest {
  @Override
  Set<Call> calls() {
    return Set.of(Call.LOOK, Call.BEAT, Call.CLAIM, Call.READ_AHEAD, Call.CLAIM_PARKED, Call.TEND);
  }
}
