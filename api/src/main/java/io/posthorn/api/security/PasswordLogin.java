package io.posthorn.api.security;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.web.authentication.WebAuthenticationDetails;

/** Checks passwords. An unknown name takes as long as a wrong password. */
final class PasswordLogin implements AuthenticationProvider {
  private static final Logger LOG = LoggerFactory.getLogger(PasswordLogin.class);

  // Hashing costs much of a processor, on purpose; a flood of logins must not take all of them.
  private static final int AT_ONCE = 2;
  private static final int LONGEST = 200;
  private static final String NOBODYS = Passwords.hash("nobody has this password");

  private final Map<String, Account> accounts = new HashMap<>();
  private final @Nullable OneTimePassword oneTime;
  private final LoginThrottle throttle;
  private final Semaphore hashing = new Semaphore(AT_ONCE);
  private final BCryptPasswordEncoder encoder = new BCryptPasswordEncoder();

  PasswordLogin(List<Account> accounts, @Nullable OneTimePassword oneTime, LoginThrottle throttle) {
    accounts.forEach(account -> this.accounts.put(account.name(), account));
    this.oneTime = oneTime;
    this.throttle = throttle;
  }

  @Override
  public Authentication authenticate(Authentication asked) {
    String name = shortened(asked.getName());
    String password = String.valueOf(asked.getCredentials());
    String address =
        asked.getDetails() instanceof WebAuthenticationDetails details
            ? String.valueOf(details.getRemoteAddress())
            : "";
    if (throttle.refuses(name, address)) {
      throw new LockedException("too many failed logins");
    }
    LoggedIn who = check(name, password);
    if (who == null) {
      throttle.failed(name, address);
      LOG.warn("A login failed: name '{}', from {}", printable(name), address);
      throw new BadCredentialsException("the name or the password is wrong");
    }
    throttle.succeeded(name);
    LOG.info("'{}' has logged in from {}", name, address);
    return new LoggedInToken(who);
  }

  private @Nullable LoggedIn check(String name, String password) {
    if (!hashing.tryAcquire()) {
      throw new LockedException("too many logins at once");
    }
    try {
      Account account = accounts.get(name);
      boolean right = matches(password, account == null ? NOBODYS : account.passwordHash());
      if (account != null) {
        return right ? new LoggedIn(name, account.grants()) : null;
      }
      return oneTime != null && oneTime.take(name, password)
          ? new LoggedIn(name, oneTime.grants())
          : null;
    } finally {
      hashing.release();
    }
  }

  private boolean matches(String password, String hash) {
    return Passwords.isPossible(password) && encoder.matches(password, hash);
  }

  private static String shortened(String name) {
    return name.length() <= LONGEST ? name : name.substring(0, LONGEST);
  }

  private static String printable(String name) {
    return name.replaceAll("\\P{Print}", "?");
  }

  @Override
  public boolean supports(Class<?> type) {
    return UsernamePasswordAuthenticationToken.class.isAssignableFrom(type);
  }
}
