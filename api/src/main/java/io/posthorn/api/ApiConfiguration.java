package io.posthorn.api;

import io.posthorn.api.access.AccessArguments;
import io.posthorn.api.access.Callers;
import io.posthorn.api.access.Guard;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.api.error.ProblemAdvice;
import io.posthorn.api.json.PosthornJson;
import io.posthorn.api.mask.MaskRule;
import io.posthorn.api.mask.PayloadViews;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * The kernel that API and console share: the guard in front of every handler method, its arguments,
 * JSON, errors and masks. It needs beans of {@link OperatedDatabases} and {@link Callers}; beans of
 * {@link MaskRule} are optional.
 */
@Configuration(proxyBeanMethods = false)
@Import(ProblemAdvice.class)
public class ApiConfiguration {
  @Bean
  PayloadViews posthornPayloadViews(ObjectProvider<MaskRule> rules) {
    return new PayloadViews(rules.orderedStream().toList());
  }

  @Bean
  WebMvcConfigurer posthornApiMvc(OperatedDatabases databases, Callers callers) {
    return new Mvc(new Guard(databases, callers));
  }

  private record Mvc(Guard guard) implements WebMvcConfigurer {
    @Override
    public void addInterceptors(InterceptorRegistry registry) {
      registry.addInterceptor(guard);
    }

    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
      resolvers.add(new AccessArguments());
    }

    @Override
    public void configureMessageConverters(HttpMessageConverters.ServerBuilder builder) {
      builder.addCustomConverter(new PosthornJson());
    }
  }
}
