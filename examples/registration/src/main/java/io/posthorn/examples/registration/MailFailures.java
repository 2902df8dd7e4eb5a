package io.posthorn.examples.registration;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import jakarta.mail.Address;
import jakarta.mail.SendFailedException;
import jakarta.mail.internet.AddressException;
import org.jspecify.annotations.Nullable;
import org.springframework.mail.MailAuthenticationException;
import org.springframework.mail.MailSendException;

/** Whose fault it is that a mail could not be sent: the server's, the mail's, or just bad luck. */
final class MailFailures {
  static final Classifier CLASSIFIER =
      Classifier.DEFAULT
          .when(MailAuthenticationException.class, e -> serverIsAtFault(Reason.ACCESS_DENIED, e))
          .when(AddressException.class, MailFailures::mailIsAtFault)
          .when(MailSendException.class, MailFailures::notSent);

  private MailFailures() {}

  /** All mails wait, and none of them uses up its attempts. */
  private static Outcome serverIsAtFault(String code, Exception thrown) {
    return Outcome.unavailable(Reason.of(code, thrown));
  }

  /** A dead letter at once: a person can correct the address and requeue it. */
  private static Outcome mailIsAtFault(Exception thrown) {
    return Outcome.rejected(Reason.of(Reason.INVALID_ADDRESS, thrown));
  }

  private static Outcome notSent(MailSendException thrown) {
    // Spring reports a missing connection as the cause, and a refused mail in this list.
    if (thrown.getMessageExceptions().length == 0 || thrown.getCause() != null) {
      return serverIsAtFault(Reason.UNREACHABLE, thrown);
    }
    Exception why = thrown.getMessageExceptions()[0];
    return why instanceof SendFailedException refused && isSet(refused.getInvalidAddresses())
        ? mailIsAtFault(why)
        : Classifier.DEFAULT.classify(why); // tried again after a backoff
  }

  private static boolean isSet(Address @Nullable [] addresses) {
    return addresses != null && addresses.length > 0;
  }
}
