package io.posthorn.spring.connector;

import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/**
 * What the application has for all connectors.
 *
 * @param sender who sends, unless a destination says otherwise
 */
public record Surroundings(Environment environment, SslBundles bundles, String sender) {}
