/**
 * Delivers the messages of an outbox: a relay claims batches of the log, sends them in key order
 * and settles the results.
 *
 * <pre>{@code
 * Relay                      what a program starts and closes
 *   │
 *   ▼  one thread
 * RelayThread                heartbeat, sharing of lanes, checks of the log
 *   ├─ Lookout               sees that the log has grown, and wakes lanes
 *   └─ OwnLanes              takes lanes, gives them back, gives them up
 *        │
 *        ▼  one thread for each lane
 *      LaneLoop              claim → send in rounds → settle
 *        ├─ LaneWork         calls the store, on store threads
 *        ├─ Sender           calls the connector
 *        └─ LaneEngine       decides, without thread, clock or database
 *             ├─ SendScheduler   which message is sent next
 *             ├─ Blame           whether message or destination is at fault when a send fails
 *             └─ Decisions       what the next settle writes about a message
 * }</pre>
 *
 * <h2>How messages are delivered</h2>
 *
 * <p><b>Window.</b> The log is insert-only, and its sequence numbers become visible out of order.
 * So a lane does not remember a number: it remembers a snapshot of the database. Its next window
 * holds every message that a new snapshot sees and the old one does not, in the order of the
 * sequence numbers. The window is stored before its first message is sent, so a relay that takes
 * over after a crash reads the same window.
 *
 * <p><b>Claim.</b> A claim opens a window, or resumes the stored one, and returns a page of it. A
 * page is at most half a batch: while one half is being sent, the other is read or settled. At most
 * {@code batchSize} messages of a lane are sent and not yet settled. No transaction is open while a
 * connector is called.
 *
 * <p><b>Token.</b> A relay owns a lane only as long as its lease lasts, and each grant of a lane
 * has a random token of its own. Claims and settles name the token: a relay that lost the lane
 * writes nothing. A token stops writes and not sends, so a relay also fences itself. It starts a
 * send only if the send would time out before the lease ends, measured by its own steady clock.
 *
 * <p><b>Order.</b> A message reaches the connector only after its predecessor of the key was sent
 * or parked, across batches, the log and the parked messages. A message that fails is parked: it is
 * copied out of the log and retried later. Later messages of its key are parked behind it, and all
 * other keys go on.
 *
 * <p><b>Settle.</b> One short transaction writes how far the lane has got, and which messages were
 * parked or are dead. It names the progress that the relay knows as the newest, and writes nothing
 * if the database has another. If the answer to a settle is lost, the relay repeats the settle
 * unchanged, which shows whether it was committed.
 *
 * <p><b>Crash.</b> Messages that were sent and not settled are sent again by the next owner of the
 * lane: at most {@code batchSize} for each destination. A relay that is closed settles first and
 * gives its lanes back, so that no message is sent twice. A relay that froze finds its lease
 * expired and its tokens replaced when it goes on.
 *
 * <h2>Where to read on</h2>
 *
 * <ol>
 *   <li>What a program sets: {@code Relay}, {@code RelayConfig}, {@code Destination}, {@code
 *       RetryPolicy}, {@code SendLimit}.
 *   <li>The relay: {@code RelayThread}, {@code Lease}, {@code Lookout}, {@code OwnLanes}, {@code
 *       Sharing}. Once for the whole database, by the relay that owns the lane of unrouted
 *       messages: {@code UnroutedWatch}, {@code Housekeeping}. By any relay: {@code
 *       OperationWatch}.
 *   <li>A lane: {@code LaneLoop}, {@code Mailbox}, {@code LaneWork}, {@code StoreCalls}, {@code
 *       ReadAhead}, {@code WrittenProgress}, {@code ParkedSchedule}, {@code Sender}, {@code
 *       LaneSteering}, {@code LaneCheck}. What the lanes of a destination share: {@code LaneShare},
 *       {@code ConnectorPlaces}.
 *   <li>The engine: {@code LaneEngine}, {@code TrackedBatch}, {@code TrackedDelivery}; {@code
 *       SendScheduler}, {@code KeyChains}, {@code ReadyQueue}, {@code SendGate}, {@code Expiry},
 *       {@code AwaitedAnswers}; {@code Blame}, {@code Breaker}, {@code UnjudgedFailures}; {@code
 *       Decisions}, {@code Settling}, {@code Refusals}.
 * </ol>
 */
@NullMarked
package io.posthorn.core.relay;

import org.jspecify.annotations.NullMarked;
