package io.posthorn.rabbitmq;

import io.posthorn.testkit.SourceContract;
import io.posthorn.testkit.SourceFixture;

class RabbitMqSourceContractTest extends SourceContract {
  @Override
  protected SourceFixture fixture() {
    return new RabbitMqSourceFixture();
  }
}
