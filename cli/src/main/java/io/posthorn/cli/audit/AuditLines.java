package io.posthorn.cli.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.posthorn.cli.CommandFailed;
import io.posthorn.core.operate.audit.AuditChain;
import io.posthorn.core.operate.audit.AuditCheck;
import io.posthorn.core.operate.audit.AuditEntry;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads audit entries as lines of JSON. Each line has the hash of the entry before it,
 * so a part of the audit can be checked too.
 */
final class AuditLines {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private AuditLines() {}

  static String line(AuditEntry entry, String previous) {
    Map<String, Object> line = new LinkedHashMap<>(json(entry));
    line.remove("hash");
    line.put("previous", previous);
    line.put("hash", entry.hash());
    try {
      return JSON.writeValueAsString(line);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot be written as JSON", e);
    }
  }

  static Map<String, Object> json(AuditEntry entry) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("n", entry.n());
    map.put("at", entry.at().toString());
    map.put("who", entry.who());
    map.put("role", entry.role());
    map.put("action", entry.action());
    map.put("target", entry.target());
    map.put("why", entry.why());
    if (entry.before() != null) {
      map.put("before", entry.before());
    }
    if (entry.after() != null) {
      map.put("after", entry.after());
    }
    map.put("hash", entry.hash());
    return map;
  }

  /** Checks the hash chain of a file. The file may begin with any entry, but must have no gap. */
  static AuditCheck verify(Path file) {
    AuditChain chain = null;
    int number = 0;
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        JsonNode json = JSON.readTree(line);
        AuditEntry entry = entry(json);
        if (chain == null) {
          String previous = entry.n() == 1 ? AuditEntry.START : text(json, "previous");
          chain = new AuditChain(entry.n() - 1, previous);
        }
        if (!chain.add(entry)) {
          break;
        }
      }
    } catch (JsonProcessingException | IllegalArgumentException | DateTimeException e) {
      throw new CommandFailed("line %,d of %s is not an audit entry".formatted(number, file), e);
    } catch (IOException e) {
      throw new CommandFailed("cannot read " + file + ": " + e.getMessage(), e);
    }
    if (chain == null) {
      throw new CommandFailed("there is no entry in " + file, null);
    }
    return chain.result();
  }

  private static AuditEntry entry(JsonNode json) {
    if (!json.path("n").isIntegralNumber()) {
      throw new IllegalArgumentException("the field n is not a number");
    }
    return new AuditEntry(
        json.get("n").asLong(),
        Instant.parse(text(json, "at")),
        text(json, "who"),
        text(json, "role"),
        text(json, "action"),
        text(json, "target"),
        text(json, "why"),
        optional(json, "before"),
        optional(json, "after"),
        text(json, "hash"));
  }

  private static String text(JsonNode json, String field) {
    String text = optional(json, field);
    if (text == null) {
      throw new IllegalArgumentException("the field " + field + " is missing");
    }
    return text;
  }

  private static @Nullable String optional(JsonNode json, String field) {
    JsonNode value = json.get(field);
    return value == null || value.isNull() ? null : value.asText();
  }
}
