// MassTransit 8 with Entity Framework Core and RabbitMQ. Shown in docs/guide/side-by-side.md; not compiled.

// task:publish
public record UserRegistered(string Email);

public async Task Register(string email) {
    db.Users.Add(new User(email));
    await endpoint.Publish(new UserRegistered(email));
    await db.SaveChangesAsync();
}
// task:end

// task:handle
services.AddMassTransit(bus => {
    bus.AddEntityFrameworkOutbox<ShopContext>(outbox => { outbox.UsePostgres(); outbox.UseBusOutbox(); });
    bus.AddConsumer<WelcomeMail>();
    bus.AddConfigureEndpointsCallback((context, name, endpoint) => {
        endpoint.UseMessageRetry(retry => retry.Exponential(10, FromSeconds(1), FromMinutes(1), FromSeconds(1)));
        endpoint.UseEntityFrameworkOutbox<ShopContext>(context);
    });
    bus.UsingRabbitMq((context, rabbit) => rabbit.ConfigureEndpoints(context));
});

protected override void OnModelCreating(ModelBuilder model) => model.AddTransactionalOutboxEntities();

public class WelcomeMail(Mails mails) : IConsumer<UserRegistered> {
    public Task Consume(ConsumeContext<UserRegistered> context) => mails.Welcome(context.Message.Email);
}
// task:end

// task:route
bus.UsingRabbitMq((context, rabbit) => {
    rabbit.Host("rabbit");
    rabbit.Message<UserRegistered>(message => message.SetEntityName("users"));
    rabbit.ConfigureEndpoints(context);
});
// task:end

// task:requeue
// No API: messages are in the queue welcome-mail_error. With RabbitMQ's shovel plugin:
// rabbitmqctl set_parameter shovel requeue '{"src-protocol": "amqp091", "src-uri": "amqp://",
//   "src-queue": "welcome-mail_error", "src-delete-after": "queue-length",
//   "dest-protocol": "amqp091", "dest-uri": "amqp://", "dest-queue": "welcome-mail"}'
// task:end

// task:test
[Fact]
public async Task A_registered_user_gets_a_mail() {
    await using var provider = new ServiceCollection()
        .AddSingleton(mails)
        .AddMassTransitTestHarness(bus => bus.AddConsumer<WelcomeMail>())
        .BuildServiceProvider(true);
    var harness = provider.GetRequiredService<ITestHarness>();
    await harness.Start();
    await harness.Bus.Publish(new UserRegistered("ada@example.org"));
    Assert.True(await harness.Consumed.Any<UserRegistered>());
    Assert.Contains("ada@example.org", mails.Sent);
}
// task:end
