package io.posthorn.kafka;

import io.posthorn.testkit.SourceContract;
import io.posthorn.testkit.SourceFixture;

class KafkaSourceContractTest extends SourceContract {
  @Override
  protected SourceFixture fixture() {
    return new KafkaSourceFixture();
  }
}
