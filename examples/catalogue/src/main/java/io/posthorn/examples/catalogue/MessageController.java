package io.posthorn.examples.catalogue;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The newest messages, from a view that everybody may query. */
@RestController
class MessageController {
  private final JdbcClient jdbc;

  MessageController(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  record Recent(String type, String key, String written, String state) {}

  @GetMapping("/messages")
  List<Recent> newest() {
    return jdbc.sql(
            """
            SELECT type,
                   aggregate_type || '/' || key AS key,
                   to_char(recorded_at, 'HH24:MI:SS') AS written,
                   state
              FROM posthorn_message_state
             WHERE destination = 'shop'
             ORDER BY recorded_at DESC
             LIMIT 8
            """)
        .query(Recent.class)
        .list();
  }
}
