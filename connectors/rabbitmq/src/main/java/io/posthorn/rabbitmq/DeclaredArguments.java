package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds out the arguments with which a queue was declared.
 *
 * <p>AMQP has no request for them. But a broker that receives a declaration of an existing queue
 * with other arguments refuses it, and reports the actual arguments. Each declaration here has one
 * value that no broker accepts, so it never creates a queue, even if the queue is deleted at that
 * moment.
 */
final class DeclaredArguments {
  private static final String INVALID = "posthorn asks";
  private static final String TYPE = "x-queue-type";
  private static final String DELIVERY_LIMIT = "x-delivery-limit";
  private static final Map<String, Object> QUESTIONS = new LinkedHashMap<>();

  static {
    QUESTIONS.put(TYPE, INVALID);
    for (String number :
        new String[] {"message-ttl", "expires", "max-length", "max-length-bytes"}) {
      QUESTIONS.put("x-" + number, INVALID);
    }
    QUESTIONS.put("x-overflow", INVALID);
    QUESTIONS.put("x-dead-letter-exchange", 1);
    QUESTIONS.put("x-single-active-consumer", INVALID);
    QUESTIONS.put(DELIVERY_LIMIT, INVALID);
  }

  private static final Pattern ANSWER =
      Pattern.compile("inequivalent arg '([^']+)'.* but current is (.*)");
  private static final Pattern VALUE = Pattern.compile("(?:the value )?'(.*?)'(?: of type .*)?");

  private final Connection connection;
  private final String queue;
  private final Map<String, Object> known = new HashMap<>();
  private boolean durable = true;
  private boolean autoDelete;

  private DeclaredArguments(Connection connection, String queue) {
    this.connection = connection;
    this.queue = queue;
  }

  /**
   * Returns the arguments without {@code x-} in their names, as policies name them. Returns null if
   * this program may not declare the queue, since the broker then reports nothing.
   */
  static @Nullable Map<String, String> of(Connection connection, String queue)
      throws IOException, TimeoutException {
    DeclaredArguments declared = new DeclaredArguments(connection, queue);
    for (Map.Entry<String, Object> question : QUESTIONS.entrySet()) {
      if (declared.mayAsk(question.getKey())
          && !declared.ask(question.getKey(), question.getValue())) {
        return null;
      }
    }
    Map<String, String> found = new HashMap<>();
    declared.known.forEach((name, value) -> found.put(name.substring(2), value.toString()));
    found.put("durable", Boolean.toString(declared.durable));
    found.put("auto-delete", Boolean.toString(declared.autoDelete));
    return found;
  }

  /** Only quorum queues have a delivery limit; other queues ignore the argument. */
  private boolean mayAsk(String name) {
    return !name.equals(DELIVERY_LIMIT) || "quorum".equals(known.get(TYPE));
  }

  /** The broker reports one difference at a time; returns false if it reports none. */
  private boolean ask(String name, Object invalid) throws IOException, TimeoutException {
    for (int i = 0; i < 2 * QUESTIONS.size() && !known.containsKey(name); i++) {
      String answer = declare(name, invalid);
      Matcher matcher = answer == null ? null : ANSWER.matcher(answer);
      if (matcher == null || !matcher.find()) {
        return false;
      }
      if (!learn(matcher.group(1), matcher.group(2)) && matcher.group(1).equals(name)) {
        return true;
      }
    }
    return true;
  }

  /** Returns false if the queue was declared without the argument. */
  private boolean learn(String name, String current) {
    if (name.equals("durable")) {
      durable = current.contains("true");
      return true;
    }
    if (name.equals("auto_delete")) {
      autoDelete = current.contains("true");
      return true;
    }
    Matcher value = VALUE.matcher(current);
    if (!value.matches()) {
      return false;
    }
    known.put(name, typed(value.group(1)));
    return true;
  }

  private static Object typed(String value) {
    if (value.equals("true") || value.equals("false")) {
      return Boolean.valueOf(value);
    }
    return value.matches("-?[0-9]{1,18}") ? (Object) Long.valueOf(value) : value;
  }

  /** Returns the broker's objection, or null if it does not object to the arguments. */
  private @Nullable String declare(String name, Object invalid)
      throws IOException, TimeoutException {
    Map<String, Object> arguments = new HashMap<>(known);
    arguments.put(name, invalid);
    Channel channel = connection.createChannel();
    try {
      channel.queueDeclare(queue, durable, false, autoDelete, arguments);
      return null;
    } catch (IOException e) {
      return ConnectionFailures.code(e) == AMQP.PRECONDITION_FAILED
          ? ConnectionFailures.reason(e).text()
          : null;
    } finally {
      if (channel.isOpen()) {
        channel.close();
      }
    }
  }
}
