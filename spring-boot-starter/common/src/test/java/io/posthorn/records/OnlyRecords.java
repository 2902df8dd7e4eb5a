package io.posthorn.records;

import io.posthorn.core.message.MessageKey;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** An application whose events are records, as the guide writes them. */
@Configuration
@EnableAutoConfiguration
public class OnlyRecords {
  public record OrderPlaced(@MessageKey("order") String order) {}
}
