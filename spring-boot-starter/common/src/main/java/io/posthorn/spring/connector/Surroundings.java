package io.posthorn.spring.connector;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;

/**
 * What all connectors get from the application.
 *
 * @param sender the sender's name, unless a destination sets another
 * @param beans the application's beans, which settings may name
 */
public record Surroundings(
    Environment environment, SslBundles bundles, String sender, BeanFactory beans) {}
