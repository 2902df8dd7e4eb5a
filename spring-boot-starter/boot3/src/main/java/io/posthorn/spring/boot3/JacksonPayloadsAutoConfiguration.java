package io.posthorn.spring.boot3;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Writes and reads events with the application's own JSON mapper. */
@AutoConfiguration(
    afterName = "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration")
@ConditionalOnClass(ObjectMapper.class)
@ConditionalOnSingleCandidate(ObjectMapper.class)
public class JacksonPayloadsAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  PayloadWriter posthornPayloadWriter(ObjectMapper mapper) {
    return mapper::writeValueAsBytes;
  }

  @Bean
  @ConditionalOnMissingBean
  PayloadReader posthornPayloadReader(ObjectMapper mapper) {
    return mapper::readValue;
  }
}
