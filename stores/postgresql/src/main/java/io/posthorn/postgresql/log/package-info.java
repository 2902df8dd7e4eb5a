/**
 * The log read and settled: claims, windows page by page, and the look whether there is more.
 *
 * <h2>The log, in one page</h2>
 *
 * <p><b>The log</b> is insert-only. A row carries the id of its transaction ({@code tx}) and a
 * number ({@code seq}) drawn after that id. Numbers become visible out of order, because
 * transactions commit out of order; so no number can say "everything up to here is done".
 *
 * <p><b>A cursor is a snapshot</b>, which says exactly which transactions it sees. The
 * <b>window</b> (s1, s2] holds what s2 sees and s1 does not. Windows follow each other without gap
 * or overlap, and inside a window messages are read by {@code seq}. If B committed before A wrote
 * the same key, every snapshot that sees A sees B, and B's seq is smaller: key order holds.
 *
 * <p><b>Reading a window</b> takes two stages, because most of it lies densely at the end of the
 * log and a few rows, of transactions that were open when s1 was taken, may lie anywhere before.
 * With each snapshot goes a number ({@code low1}): whoever s1 neither sees nor names as running
 * draws only higher ones. So first the <i>stragglers</i>, the transactions that s1 names, one by
 * one, up to low1; then the <i>range</i> above it. PostgreSQL's own snapshot does not name the
 * newest running transactions, which may have drawn numbers already. So the number is read before
 * the claim's transaction gets an id, and whatever began before that id and is not seen is named as
 * well.
 *
 * <p><b>A window is stored before its first message is sent</b>, with a synchronous commit. That
 * makes durable everything s2 sees: without it a crash could roll the server back, hand out the
 * same transaction ids again, and the messages written under them would count as seen.
 *
 * <p><b>Claim</b>: lock the lane (its token is the fence), then, in later statements, read the
 * cursor and the snapshot, read a page, store the window. Nothing that is remembered from one claim
 * to the next counts: after a failover the promoted server may know less than this relay does. From
 * memory comes only a guess where the next window begins, so that it can be read together with the
 * cursor; if the cursor begins elsewhere, it is read again. <b>Settle</b>: lock the lane, find the
 * very progress this relay knows, insert the next one and what failed. One small row per batch;
 * rows of the log are never touched. A settle that opens no window and parks nothing does not wait
 * for the disk: the next window's commit flushes it, too.
 *
 * <p><b>Parked messages</b> come and go as rows, and what has gone stays in the indexes while
 * anybody holds an old snapshot. So the first of them is looked for from an edge on, below which
 * nothing is parked; see {@code Edges}. A settle of parked messages alone writes a progress row,
 * too: by its id a repeat knows that the settle is in.
 *
 * <p><b>A crash</b> between claim and settle leaves an open window and the last settled seq: the
 * next owner reads on from there and sends again what was not settled.
 */
@NullMarked
package io.posthorn.postgresql.log;

import org.jspecify.annotations.NullMarked;
