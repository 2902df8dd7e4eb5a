package io.posthorn.api.application;

import io.posthorn.api.access.Role;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The API inside an application.
 *
 * @param enabled whether the application serves the API below {@code /api/v1}
 * @param database the name of the application's database in paths
 * @param roles which of the application's roles stand for which of Posthorn's: {@code viewer},
 *     {@code payload-reader}, {@code operator}, {@code admin}; without them, callers only view
 */
@ConfigurationProperties("posthorn.api")
public record ApiProperties(
    @DefaultValue("false") boolean enabled,
    @DefaultValue("outbox") String database,
    @DefaultValue Map<Role, List<String>> roles) {}
