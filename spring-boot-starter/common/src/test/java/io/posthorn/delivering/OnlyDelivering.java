package io.posthorn.delivering;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** An application without events of its own. */
@Configuration
@EnableAutoConfiguration
public class OnlyDelivering {}
