package io.posthorn.rabbitmq;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Finds queue settings with which the broker removes messages that no consumer has received. */
record LossySettings(Map<String, String> settings, String version) {
  static final String EXPIRY = "EXPIRY";
  static final String LENGTH_LIMIT = "LENGTH_LIMIT";
  static final String DELIVERY_LIMIT = "DELIVERY_LIMIT";
  static final String NOT_DURABLE = "NOT_DURABLE";

  private static final int DEFAULT_LIMIT_SINCE = 4;

  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    if (settings.containsKey("message-ttl")) {
      addIfSet(findings, EXPIRY, "messages that no consumer took within %s ms", "message-ttl");
    }
    if (settings.containsKey("expires")) {
      addIfSet(findings, EXPIRY, "the whole queue if it has no consumer for %s ms", "expires");
    }
    if (!settings.getOrDefault("overflow", "drop-head").startsWith("reject-publish")) {
      if (settings.containsKey("max-length")) {
        addIfSet(findings, LENGTH_LIMIT, "the oldest messages beyond %s", "max-length");
      }
      if (settings.containsKey("max-length-bytes")) {
        addIfSet(findings, LENGTH_LIMIT, "the oldest messages beyond %s bytes", "max-length-bytes");
      }
    }
    String limit = deliveryLimit();
    if (!limit.startsWith("-")) {
      findings.add(
          problem(
              DELIVERY_LIMIT,
              "messages handed out %s times, for example because programs crashed or were restarted"
                  .formatted(limit)));
    }
    if ("false".equals(settings.get("durable")) || "true".equals(settings.get("auto-delete"))) {
      findings.add(
          problem(
              NOT_DURABLE, "the whole queue when the broker restarts or the last consumer leaves"));
    }
    return findings;
  }

  /** Returns a number below zero if there is no limit. */
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

  private void addIfSet(List<Finding> findings, String code, String what, String setting) {
    findings.add(problem(code, what.formatted(settings.get(setting))));
  }

  private Finding problem(String code, String what) {
    String exchange = settings.get("dead-letter-exchange");
    return Finding.problem(
        Reason.of(
            code,
            "the broker removes %s, %s. Change the queue or the policy."
                .formatted(
                    what,
                    exchange == null
                        ? "and they are lost unnoticed"
                        : "and moves them to exchange '"
                            + exchange
                            + "' without this consumer receiving them")));
  }
}
