package io.posthorn.examples.campuscafe.stage;

import io.posthorn.examples.campuscafe.dualwrite.DualWriteApplication;
import io.posthorn.examples.campuscafe.notification.NotificationApplication;
import io.posthorn.examples.campuscafe.order.OrderApplication;
import io.posthorn.examples.campuscafe.payment.PaymentApplication;
import io.posthorn.examples.campuscafe.stock.StockApplication;
import java.util.Arrays;
import org.springframework.boot.SpringApplication;

/** Starts one service, with what the stage needs inside of it. */
public final class ServiceMain {
  private ServiceMain() {}

  public static void main(String[] args) {
    String[] rest = Arrays.copyOfRange(args, 1, args.length);
    Class<?> inside = args[0].equals(Cafe.DUAL_WRITE) ? InDualWrite.class : InService.class;
    SpringApplication.from(own -> application(args[0], own)).with(inside).run(rest);
  }

  private static void application(String service, String[] args) {
    switch (service) {
      case Cafe.ORDER -> OrderApplication.main(args);
      case Cafe.STOCK -> StockApplication.main(args);
      case Cafe.PAYMENT -> PaymentApplication.main(args);
      case Cafe.NOTIFICATION -> NotificationApplication.main(args);
      case Cafe.DUAL_WRITE -> DualWriteApplication.main(args);
      default -> throw new IllegalArgumentException("there is no service " + service);
    }
  }
}
