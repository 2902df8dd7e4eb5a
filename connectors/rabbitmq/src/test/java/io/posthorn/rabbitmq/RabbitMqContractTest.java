package io.posthorn.rabbitmq;

import io.posthorn.testkit.ConnectorContract;
import io.posthorn.testkit.ConnectorFixture;

class RabbitMqContractTest extends ConnectorContract {
  @Override
  protected ConnectorFixture fixture() {
    return new RabbitMqFixture();
  }
}
