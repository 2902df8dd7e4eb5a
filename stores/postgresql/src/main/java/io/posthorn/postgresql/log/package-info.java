/**
 * Reads and settles the log: claims, windows page by page, and the probe for news.
 *
 * <h2>The log, in one page</h2>
 *
 * <p><b>The log</b> is insert-only. Each row has the id of its transaction ({@code tx}) and a
 * number ({@code seq}) that was drawn after that id. Transactions commit in another order than they
 * draw numbers, so numbers become visible out of order. "Everything up to number 104 is delivered"
 * can therefore never be said: a transaction that drew 102 may still be open.
 *
 * <p><b>The cursor</b> of a lane is a snapshot, because a snapshot says exactly which transactions
 * it sees. A <b>window</b> (s1, s2] holds the messages that s2 sees and s1 does not. Windows follow
 * each other without gap or overlap, so every message is in exactly one of them. In this log, s1
 * was taken when the sequence was at 104, with transactions B and C open; s2 was taken at 110, with
 * C and F open:
 *
 * <pre>
 *            up to low1 = 104          |       above low1, up to high2 = 110
 *   seq   101    102    103    104     |   105    106    107    108    109    110
 *   tx     A      B      A      C      |    B      D      C      E      D      F
 *   s1    sees    -     sees    -      |    -      -      -      -      -      -
 *   s2    sees   sees   sees    -      |   sees   sees    -     sees   sees    -
 *                 *                    |    *      *             *      *
 *             straggler                |                  range
 * </pre>
 *
 * <p>The window holds 102, 105, 106, 108 and 109. Later windows hold 104, 107 and 110, once C and F
 * have committed: all three as stragglers, because the next low1 is 110.
 *
 * <p><b>Order.</b> Inside a window, messages are read by {@code seq}. If B committed before A wrote
 * a message of the same key, then every snapshot that sees A sees B, and B's seq is smaller. So B's
 * message comes first, in an earlier window or in the same one. Transactions that write one key at
 * the same time have no such order; an application that needs one locks the key before it adds.
 *
 * <p><b>A page</b> is read in two stages, because most of a window is dense at the end of the log,
 * and a few rows may lie anywhere before. The number {@code low1} is stored with s1: a transaction
 * that s1 neither sees nor names as running has only higher numbers. Up to low1, only the
 * <i>stragglers</i> can be in the window: transactions that s1 names as running and s2 sees as
 * finished. Each is read by the index on (tx, seq). Above low1 comes the <i>range</i>, read by the
 * index on seq. Pages have limits of messages, bytes and seqs; no window is ever sorted or held as
 * a whole, since it may contain a day of messages.
 *
 * <p>PostgreSQL's snapshot does not name the newest running transactions, although they may have
 * drawn numbers already. So a claim reads the number before its own transaction gets an id, and
 * adds to the snapshot the name of every unseen transaction below that id; see {@code Snapshot}.
 *
 * <p><b>The token</b> is the fence. Each grant of a lane has a new random token, and every claim
 * and settle first locks the lane's row by it. A relay that has lost its lane finds no row and
 * writes nothing.
 *
 * <p><b>A claim</b> locks the lane, reads cursor and snapshot in a later statement, reads a page
 * and stores the window. It trusts nothing that the relay remembers from earlier claims: after a
 * failover the promoted server may know less than the relay, and may hand out the same transaction
 * ids again. Memory only provides a guess where the next window begins, so that a page can be read
 * together with the cursor; see {@code SpeculativeClaim}. If the guess is wrong, the page is read
 * again.
 *
 * <p><b>A window is stored before its first message is sent</b>, with a synchronous commit. That
 * commit flushes everything that s2 sees. Without it a crash could roll the server back behind s2.
 * The server would assign the same transaction ids again, and messages of those transactions would
 * count as seen: they would never be sent.
 *
 * <p><b>A settle</b> locks the lane and checks that the newest progress is the one that this relay
 * wrote or read last. Then it inserts the next progress and parks the messages that failed. It
 * writes one small row for each batch and never touches the rows of the log. A settle that opens no
 * window and parks nothing does not wait for the disk, because the commit of the next window
 * flushes it, too.
 *
 * <p><b>A lost answer.</b> If a settle's commit gets no answer, the relay repeats the settle. The
 * first one is in if the newest progress has the id that the settle was to write. That is why a
 * settle of parked messages alone also writes a progress row.
 *
 * <p><b>A crash</b> between claim and settle leaves an open window and the seq up to which it is
 * settled. The next owner continues from there and sends again what was not settled.
 *
 * <p><b>Parked messages</b> are rows that come and go. Deleted rows stay in the indexes as long as
 * any transaction holds an older snapshot. So the search for the first parked message begins at an
 * edge, below which no message is parked; see {@code Edges}.
 */
@NullMarked
package io.posthorn.postgresql.log;

import org.jspecify.annotations.NullMarked;
