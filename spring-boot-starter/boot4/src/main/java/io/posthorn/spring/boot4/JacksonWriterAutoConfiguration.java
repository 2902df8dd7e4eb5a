package io.posthorn.spring.boot4;

import io.posthorn.core.message.PayloadWriter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.ObjectMapper;

/** Events are written as the application writes its JSON elsewhere. */
@AutoConfiguration(
    afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(ObjectMapper.class)
@ConditionalOnSingleCandidate(ObjectMapper.class)
public class JacksonWriterAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  PayloadWriter posthornPayloadWriter(ObjectMapper mapper) {
    return mapper::writeValueAsBytes;
  }
}
