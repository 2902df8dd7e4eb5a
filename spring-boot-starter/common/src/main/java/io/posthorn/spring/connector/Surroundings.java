package io.posthorn.spring.connector;

import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/**
 * What all connectors get from the application.
 *
 * @param sender the sender's name, unless a destination sets another
 */
public record Surroundings(Environment environment, SslBundles bundles, String sender) {}
