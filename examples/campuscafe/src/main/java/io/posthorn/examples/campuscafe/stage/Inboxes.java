package io.posthorn.examples.campuscafe.stage;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The mails that customers of both shops got. */
final class Inboxes {
  private static final int NEWEST = 30;

  private Inboxes() {}

  /** A mail as its reader sees it. */
  record Mail(String from, String to, String text) {}

  static List<Mail> newest(Show show) {
    MimeMessage[] all = show.cafe().mail().getReceivedMessages();
    List<Mail> mails = new ArrayList<>();
    for (int i = all.length - 1; i >= Math.max(0, all.length - NEWEST); i--) {
      mails.add(read(all[i]));
    }
    return mails;
  }

  private static Mail read(MimeMessage mail) {
    try {
      return new Mail(
          mail.getFrom()[0].toString(),
          mail.getAllRecipients()[0].toString(),
          String.valueOf(mail.getContent()).strip());
    } catch (MessagingException | IOException e) {
      throw new IllegalStateException("a mail could not be read", e);
    }
  }
}
