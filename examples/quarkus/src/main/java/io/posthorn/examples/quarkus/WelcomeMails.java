package io.posthorn.examples.quarkus;

import io.posthorn.core.message.Message;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Sends mails, as far as this example is concerned. */
@ApplicationScoped
public class WelcomeMails {
  private final List<String> sent = new CopyOnWriteArrayList<>();

  public void send(Message registered) {
    sent.add(registered.key() == null ? "nobody" : registered.key().id());
  }

  public List<String> sent() {
    return List.copyOf(sent);
  }
}
