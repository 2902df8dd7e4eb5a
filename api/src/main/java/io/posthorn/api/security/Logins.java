package io.posthorn.api.security;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everybody who may log in.
 *
 * @param oneTime the password for the first login; null if there are accounts
 */
public record Logins(
    List<Account> accounts, List<ApiToken> tokens, @Nullable OneTimePassword oneTime) {}
