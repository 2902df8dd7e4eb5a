package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.impl.AMQCommand;
import com.rabbitmq.client.impl.AMQImpl;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.LongStringHelper;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The server side of one connection, which confirms what the test tells it to. A real broker
 * decides itself which confirms it joins.
 */
final class ScriptedBroker implements AutoCloseable {
  private static final int CHANNEL = 1;
  private static final int MAX_FRAME = 131_072;
  private static final int PROTOCOL_HEADER = 8;

  private final ServerSocket server;
  private final Semaphore published = new Semaphore(0);
  private volatile Socket socket;
  private volatile DataOutputStream out;

  ScriptedBroker() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::serve, "scripted broker");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  /** Returns when this many more messages have been published. */
  void awaitPublished(int messages) throws InterruptedException {
    if (!published.tryAcquire(messages, 20, TimeUnit.SECONDS)) {
      throw new AssertionError("fewer messages came than expected: " + messages);
    }
  }

  void ack(long number, boolean all) throws IOException {
    write(CHANNEL, new AMQImpl.Basic.Ack(number, all));
  }

  void nack(long number, boolean all) throws IOException {
    write(CHANNEL, new AMQImpl.Basic.Nack(number, all, false));
  }

  private void serve() {
    try {
      socket = server.accept();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      out = new DataOutputStream(socket.getOutputStream());
      in.readFully(new byte[PROTOCOL_HEADER]);
      write(
          0,
          new AMQImpl.Connection.Start(
              0,
              9,
              Map.of("capabilities", Map.of("publisher_confirms", true)),
              LongStringHelper.asLongString("PLAIN"),
              LongStringHelper.asLongString("en_US")));
      AMQCommand command = new AMQCommand();
      while (true) {
        Frame frame = Frame.readFrom(in, () -> MAX_FRAME);
        if (frame != null
            && frame.getType() != AMQP.FRAME_HEARTBEAT
            && command.handleFrame(frame)) {
          answer(frame.getChannel(), command.getMethod());
          command = new AMQCommand();
        }
      }
    } catch (IOException e) {
      // One side has closed the connection.
    }
  }

  private void answer(int channel, Method method) throws IOException {
    if (method instanceof AMQP.Connection.StartOk) {
      write(channel, new AMQImpl.Connection.Tune(0, MAX_FRAME, 0));
    } else if (method instanceof AMQP.Connection.Open) {
      write(channel, new AMQImpl.Connection.OpenOk(""));
    } else if (method instanceof AMQP.Connection.Close) {
      write(channel, new AMQImpl.Connection.CloseOk());
    } else if (method instanceof AMQP.Channel.Open) {
      write(channel, new AMQImpl.Channel.OpenOk(LongStringHelper.asLongString("")));
    } else if (method instanceof AMQP.Confirm.Select) {
      write(channel, new AMQImpl.Confirm.SelectOk());
    } else if (method instanceof AMQP.Basic.Publish) {
      published.release();
    }
  }

  private synchronized void write(int channel, com.rabbitmq.client.impl.Method method)
      throws IOException {
    method.toFrame(channel).writeTo(out);
    out.flush();
  }

  @Override
  public void close() throws IOException {
    server.close();
    if (socket != null) {
      socket.close();
    }
  }
}
