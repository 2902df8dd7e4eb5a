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
 * With which arguments a queue was declared. AMQP has no question for it, but a broker that is told
 * to declare a queue which is there with other arguments refuses, and says what they are. Each
 * declaration here has one value that no broker takes, so it never makes a queue, not even if the
 * queue is deleted at that moment.
 */
final class Declared {
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

  private Declared(Connection connection, String queue) {
    this.connection = connection;
    this.queue = queue;
  }

  /**
   * Names without the {@code x-}, as policies have them; none if this program may not declare the
   * queue, and so is told nothing.
   */
  static @Nullable Map<String, String> of(Connection connection, String queue)
      throws IOException, TimeoutException {
    Declared declared = new Declared(connection, queue);
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

  /** Other queues than quorum queues take no notice of a delivery limit. */
  private boolean mayAsk(String name) {
    return !name.equals(DELIVERY_LIMIT) || "quorum".equals(known.get(TYPE));
  }

  /** The broker names one difference at a time; false if it names none. */
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

  /** False if the queue was declared without it. */
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

  /** What the broker has against it; none if it is not the arguments. */
  private @Nullable String declare(String name, Object invalid)
      throws IOException, TimeoutException {
    Map<String, Object> arguments = new HashMap<>(known);
    arguments.put(name, invalid);
    Channel channel = connection.createChannel();
    try {
      channel.queueDeclare(queue, durable, false, autoDelete, arguments);
      return null;
    } catch (IOException e) {
      return ConnectionFailures.code(e) == AMQP.PRECONDITION_FAILED ? ConnectionFailures.reason(e).text() : null;
    } finally {
      if (channel.isOpen()) {
        channel.close();
      }
    }
  }
}
