package io.posthorn.examples.campuscafe.stage;

import java.util.LinkedHashMap;
import java.util.Map;

/** What came of both shops at the end. */
record Result(
    ShopFigures posthorn, ShopFigures dualWrite, long duplicatesDropped, long dead, int kills) {
  /** Whether Posthorn kept its promises. The other shop made none. */
  boolean isClean() {
    return posthorn.committed() > 0
        && posthorn.unfinished() == 0
        && posthorn.ghosts() == 0
        && posthorn.doubled() == 0;
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("posthorn", shop(posthorn, duplicatesDropped, dead));
    json.put("dual_write", shop(dualWrite, 0, 0));
    return json;
  }

  private Map<String, Object> shop(ShopFigures figures, long dropped, long letters) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("committed", figures.committed());
    json.put("delivered", figures.finished());
    json.put("handled_once", figures.once());
    json.put("lost", figures.unfinished());
    json.put("ghosts", figures.ghosts());
    json.put("doubled", figures.doubled());
    json.put("duplicates_dropped", dropped);
    json.put("dead", letters);
    json.put("kills", kills);
    return json;
  }

  String table() {
    return """
                               with Posthorn   without an outbox
        orders committed       %,13d   %,17d
        brought to their end   %,13d   %,17d
        lost                   %,13d   %,17d
        ghosts                 %,13d   %,17d
        done twice             %,13d   %,17d
        copies dropped         %,13d
        kills                  %,13d"""
        .formatted(
            posthorn.committed(),
            dualWrite.committed(),
            posthorn.finished(),
            dualWrite.finished(),
            posthorn.unfinished(),
            dualWrite.unfinished(),
            posthorn.ghosts(),
            dualWrite.ghosts(),
            posthorn.doubled(),
            dualWrite.doubled(),
            duplicatesDropped,
            kills);
  }
}
