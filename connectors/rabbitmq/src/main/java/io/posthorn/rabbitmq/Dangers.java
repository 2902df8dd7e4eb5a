package io.posthorn.rabbitmq;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Settings of a queue by which its broker takes messages away that nobody has received. */
record Dangers(Map<String, String> settings, String version) {
  static final String EXPIRY = "EXPIRY";
  static final String LENGTH_LIMIT = "LENGTH_LIMIT";
  static final String DELIVERY_LIMIT = "DELIVERY_LIMIT";
  static final String NOT_DURABLE = "NOT_DURABLE";

  private static final int DEFAULT_LIMIT_SINCE = 4;

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    if (settings.containsKey("message-ttl")) {
      danger(findings, EXPIRY, "messages that nobody took within %s ms", "message-ttl");
    }
    if (settings.containsKey("expires")) {
      danger(findings, EXPIRY, "the whole queue, if nobody consumes for %s ms,", "expires");
    }
    if (!settings.getOrDefault("overflow", "drop-head").startsWith("reject-publish")) {
      if (settings.containsKey("max-length")) {
        danger(findings, LENGTH_LIMIT, "the oldest of more than %s messages", "max-length");
      }
      if (settings.containsKey("max-length-bytes")) {
        danger(findings, LENGTH_LIMIT, "the oldest beyond %s bytes", "max-length-bytes");
      }
    }
    String limit = deliveryLimit();
    if (!limit.startsWith("-")) {
      findings.add(
          problem(
              DELIVERY_LIMIT,
              "messages that were handed out %s times, for example because programs crashed or were restarted,"
                  .formatted(limit)));
    }
    if ("false".equals(settings.get("durable")) || "true".equals(settings.get("auto-delete"))) {
      findings.add(problem(NOT_DURABLE, "the whole queue when it restarts or the last one leaves"));
    }
    return findings;
  }

  /** Below zero if there is none. */
  private String deliveryLimit() {
    String limit = settings.get("delivery-limit");
    if (limit != null) {
      return limit;
    }
    boolean quorum = "quorum".equals(settings.get("queue-type"));
    return quorum && major() >= DEFAULT_LIMIT_SINCE ? "20" : "-1";
  }

  private int major() {
    String digits = version.replaceFirst("\\D.*", "");
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  private void danger(List<Finding> findings, String code, String what, String setting) {
    findings.add(problem(code, what.formatted(settings.get(setting))));
  }

  private Finding problem(String code, String what) {
    String exchange = settings.get("dead-letter-exchange");
    return Finding.problem(
        Reason.of(
            code,
            "the broker takes away %s, %s. Change the queue or the policy."
                .formatted(
                    what,
                    exchange == null
                        ? "and they are lost unseen"
                        : "and gives them to exchange '"
                            + exchange
                            + "' unseen by this consumer")));
  }
}
