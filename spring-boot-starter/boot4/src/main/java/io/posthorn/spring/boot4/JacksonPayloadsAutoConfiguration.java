package io.posthorn.spring.boot4;

import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.json.JsonMapper;

/** Writes and reads events with the application's own JSON mapper. */
@AutoConfiguration(
    afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(JsonMapper.class)
@ConditionalOnSingleCandidate(JsonMapper.class)
public class JacksonPayloadsAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  PayloadWriter posthornPayloadWriter(JsonMapper mapper) {
    return mapper::writeValueAsBytes;
  }

  @Bean
  @ConditionalOnMissingBean
  PayloadReader posthornPayloadReader(JsonMapper mapper) {
    return mapper::readValue;
  }
}
