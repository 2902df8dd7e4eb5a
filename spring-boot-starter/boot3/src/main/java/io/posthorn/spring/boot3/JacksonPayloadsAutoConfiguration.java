package io.posthorn.spring.boot3;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Events are written and read as the application writes its JSON elsewhere. */
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
