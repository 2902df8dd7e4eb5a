-- Posthorn's tables for PostgreSQL 15 and newer.
--
-- Columns that are searched have the collation "C". Indexes in a language's order become wrong when the operating
-- system's library changes that order, and a parked key that is not found lets the next message of the key overtake it.
--
-- The log is a ring of 16 leaves, one for each day modulo 16. The migration creates all of them, so Posthorn runs no
-- DDL later, and no missing partition can fail a business transaction. Rows of the log are never updated; a whole leaf
-- is emptied at once.

-- Every other encoding lacks characters, and one error text with such a character would stop a lane.
DO $$
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'Posthorn''s tables were not created: this database has the encoding %',
          current_setting('server_encoding')
          USING HINT = 'Use a database with the encoding UTF8: CREATE DATABASE ... ENCODING ''UTF8'' TEMPLATE template0.';
  END IF;
END
$$;

CREATE TABLE posthorn_migration (
  version    int         PRIMARY KEY,
  name       text        NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- A single row that says whose database this is. A copy (a staging clone, a restored backup) must not send what the
-- original sends, so a relay refuses to work unless both values match its own. Retention, registration and adopt lock
-- this row, so that only one of them runs at a time.
CREATE TABLE posthorn_meta (
  only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  environment       text,
  system_identifier bigint
);
INSERT INTO posthorn_meta DEFAULT VALUES;

-- CACHE 1, because with a larger cache sessions use numbers in another order than the sequence drew them.
CREATE SEQUENCE posthorn_seq CACHE 1;

-- The slot of a day in the ring. Days are UTC days, whatever the time zone of the session.
CREATE FUNCTION posthorn_slot(at timestamptz) RETURNS smallint
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (floor(date_part('epoch', at) / 86400)::bigint % 16)::smallint;

-- The bucket of a key, 0 to 255. The database computes it, so that clients in all languages agree. The log does not
-- store it.
CREATE FUNCTION posthorn_bucket(aggregate_type text, key text, id uuid) RETURNS smallint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (hashtextextended(coalesce(coalesce(aggregate_type, '') || '/' || key, id::text) COLLATE "C", 0) & 255)::smallint;

-- A version 7 UUID: 48 bits of time, the rest random (RFC 9562). PostgreSQL has a function of its own from version 18.
CREATE FUNCTION posthorn_uuid() RETURNS uuid
  LANGUAGE sql VOLATILE PARALLEL SAFE
  RETURN encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              PLACING substring(int8send(floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) FROM 3)
              FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid;

-- Limits are domains, because every INSERT parses the CHECK constraints of its table again, and those of a domain only
-- once a session.
CREATE DOMAIN posthorn_name AS text COLLATE "C" CHECK (length(VALUE) <= 200);
CREATE DOMAIN posthorn_key AS text COLLATE "C" CHECK (length(VALUE) <= 255);
-- Every value that the domains accept can be read back. A row that cannot be read would stop every destination that
-- wants it, for ever.
--
-- Times lie in the years 1 to 9999, which all languages and formats can represent. The last second has no fraction:
-- times are read as a double of microseconds, which would round such a time up to the year 10000.
CREATE DOMAIN posthorn_time AS timestamptz
  CHECK (VALUE BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00');
-- A relay holds whole payloads in memory, three times their size if the driver receives them as text.
CREATE DOMAIN posthorn_payload AS bytea CHECK (octet_length(VALUE) <= 33554432);
-- A JSON object of up to 64 texts. Its size counts the texts and 8 bytes for each pair. The expression concatenates an
-- empty object because pg_column_size of a stored value would return its compressed size. Most messages have no headers
-- and pay for the first comparison only.
CREATE DOMAIN posthorn_headers AS jsonb
  CHECK (VALUE = '{}'
         OR (jsonb_typeof(VALUE) = 'object'
             AND pg_column_size(VALUE || '{}') <= 66560
             AND NOT jsonb_path_exists(VALUE, 'strict $.* ? (@.type() != "string")', '{}', true)
             AND jsonb_array_length(jsonb_path_query_array(VALUE, 'strict $.*')) <= 64));
-- Headers of received messages have no limit of number and size, because brokers carry more. Values must still be
-- texts: a JSON number of 30 bytes can have 131,000 digits as text, so 1,500 of them fill the memory of a relay.
CREATE DOMAIN posthorn_received_headers AS jsonb
  CHECK (VALUE = '{}'
         OR (jsonb_typeof(VALUE) = 'object'
             AND NOT jsonb_path_exists(VALUE, 'strict $.* ? (@.type() != "string")', '{}', true)));

-- The size of a message: of its payload and its headers, as they are in memory. The planner puts the body in place of
-- the call. Concatenating an empty object decompresses the headers, because pg_column_size of a stored value would
-- return its compressed size; 8 bytes of the result are overhead.
CREATE FUNCTION posthorn_bytes(payload bytea, headers jsonb) RETURNS int
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN octet_length(payload) + pg_column_size(headers || '{}') - 8;

-- A message has a key if key is not null. Without a key the aggregate_type means nothing; with a key, a null
-- aggregate_type counts as ''. No CHECK enforces that they come together, because every INSERT would pay for it.
--
-- Outbox.add omits columns whose default is right, so changing a default here changes what it writes.
--
-- tx comes before seq because defaults are evaluated in this order: a row's seq is drawn after its transaction has an
-- id. The cursor relies on it: no transaction that begins after a snapshot has a seq from before the snapshot.
CREATE TABLE posthorn_log (
  tx             xid8             NOT NULL DEFAULT pg_current_xact_id(),
  seq            bigint           NOT NULL DEFAULT nextval('posthorn_seq'),
  recorded_at    timestamptz      NOT NULL DEFAULT clock_timestamp(),
  slot           smallint         NOT NULL DEFAULT posthorn_slot(clock_timestamp()),
  id             uuid             NOT NULL,
  type           posthorn_name    NOT NULL,
  schema_version int              NOT NULL DEFAULT 1,
  aggregate_type posthorn_key,
  key            posthorn_key,
  payload        posthorn_payload NOT NULL,
  content_type   posthorn_name    NOT NULL DEFAULT 'application/json',
  headers        posthorn_headers NOT NULL DEFAULT '{}',
  cipher_key     posthorn_name,
  occurred_at    posthorn_time    NOT NULL DEFAULT clock_timestamp(),
  not_before     posthorn_time
) PARTITION BY LIST (slot);
CREATE INDEX ON posthorn_log (seq);
CREATE INDEX ON posthorn_log (tx, seq);
CREATE INDEX ON posthorn_log (id);
-- For people who search for messages. Messages without a key or a correlation id cost nothing. An index marked
-- "finding" is optional and can be added later. With the index by key, messages with a key that fall due during a
-- large backlog are sent sooner.
CREATE INDEX ON posthorn_log (key, seq) WHERE key IS NOT NULL; -- finding
CREATE INDEX ON posthorn_log ((headers ->> 'correlation-id'), seq) WHERE headers ->> 'correlation-id' IS NOT NULL; -- finding
-- The aggregate type of a message's key, as everything outside the log stores it: never null if there is a key. The
-- planner puts the body in place of the call.
CREATE FUNCTION posthorn_key_type(aggregate_type text, key text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN key IS NOT NULL THEN coalesce(aggregate_type, '') END;

CREATE TABLE posthorn_log_00 PARTITION OF posthorn_log FOR VALUES IN (0);
CREATE TABLE posthorn_log_01 PARTITION OF posthorn_log FOR VALUES IN (1);
CREATE TABLE posthorn_log_02 PARTITION OF posthorn_log FOR VALUES IN (2);
CREATE TABLE posthorn_log_03 PARTITION OF posthorn_log FOR VALUES IN (3);
CREATE TABLE posthorn_log_04 PARTITION OF posthorn_log FOR VALUES IN (4);
CREATE TABLE posthorn_log_05 PARTITION OF posthorn_log FOR VALUES IN (5);
CREATE TABLE posthorn_log_06 PARTITION OF posthorn_log FOR VALUES IN (6);
CREATE TABLE posthorn_log_07 PARTITION OF posthorn_log FOR VALUES IN (7);
CREATE TABLE posthorn_log_08 PARTITION OF posthorn_log FOR VALUES IN (8);
CREATE TABLE posthorn_log_09 PARTITION OF posthorn_log FOR VALUES IN (9);
CREATE TABLE posthorn_log_10 PARTITION OF posthorn_log FOR VALUES IN (10);
CREATE TABLE posthorn_log_11 PARTITION OF posthorn_log FOR VALUES IN (11);
CREATE TABLE posthorn_log_12 PARTITION OF posthorn_log FOR VALUES IN (12);
CREATE TABLE posthorn_log_13 PARTITION OF posthorn_log FOR VALUES IN (13);
CREATE TABLE posthorn_log_14 PARTITION OF posthorn_log FOR VALUES IN (14);
CREATE TABLE posthorn_log_15 PARTITION OF posthorn_log FOR VALUES IN (15);

-- Ids that callers chose for their messages. They stay at least as long as the log.
CREATE TABLE posthorn_given_id (
  id          uuid        PRIMARY KEY,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON posthorn_given_id (recorded_at);

-- Ids that callers chose for whole transactions, to find out whether one was committed. They stay as long.
CREATE TABLE posthorn_noted_id (
  id          uuid        PRIMARY KEY,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON posthorn_noted_id (recorded_at);

CREATE SEQUENCE posthorn_progress_n CACHE 1;

-- waits_for_unrouted: the destination got a new route, and unrouted still has messages that the route wants. The relay
-- reads nothing from the log for the destination until they are handed over, because they come first.
-- rewinding: the operation that is parking messages for the destination to receive again. No new window is opened until
-- it is done, for the same reason.
-- steering_id: changes with the destination's rate and its pauses, so that relays notice.
-- first_n: lower than the n of all its progress. Progress with a lower n belongs to a removed destination of the same
-- name.
CREATE TABLE posthorn_destination (
  name            text COLLATE "C" PRIMARY KEY,
  direction       text        NOT NULL DEFAULT 'OUT' CHECK (direction IN ('OUT', 'IN')),
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  routes_id       uuid        NOT NULL DEFAULT gen_random_uuid(),
  waits_for_unrouted boolean NOT NULL DEFAULT false,
  rewinding       uuid,
  steering_id     uuid        NOT NULL DEFAULT gen_random_uuid(),
  rate_per_second double precision,
  first_n         bigint      NOT NULL DEFAULT nextval('posthorn_progress_n')
);

-- What people have paused: a type of a destination. '*' stands for all types, or all destinations.
CREATE TABLE posthorn_pause (
  destination text COLLATE "C" NOT NULL,
  type        text COLLATE "C" NOT NULL,
  paused_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  who         text        NOT NULL,
  why         text        NOT NULL,
  PRIMARY KEY (destination, type)
);

-- since, since_time: a route covers only messages that this snapshot does not see and that were recorded at this time
-- or later.
-- since_seq: a route covers every message with a higher seq.
CREATE TABLE posthorn_route (
  application text COLLATE "C" NOT NULL,
  destination text COLLATE "C" NOT NULL REFERENCES posthorn_destination,
  type        text COLLATE "C" NOT NULL,
  since       pg_snapshot NOT NULL,
  since_seq   bigint      NOT NULL,
  since_time  timestamptz NOT NULL DEFAULT '-infinity',
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (destination, type, application)
);

-- Whether a route covers a message of its type. The planner puts the body in place of the call, so that the plans are
-- those of the written-out condition. The EXISTS over the routes stays in the callers, because PostgreSQL inlines no
-- function with a sub-select.
CREATE FUNCTION posthorn_covers(
  since_seq   bigint,
  since       pg_snapshot,
  since_time  timestamptz,
  seq         bigint,
  tx          xid8,
  recorded_at timestamptz
) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN seq > since_seq OR (NOT pg_visible_in_snapshot(tx, since) AND recorded_at >= since_time);

-- One row for each run of a relay. Each heartbeat moves expires_at forward.
CREATE TABLE posthorn_relay (
  id          uuid        PRIMARY KEY,
  name        text        NOT NULL,
  application text        NOT NULL,
  started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  lease       interval    NOT NULL,
  expires_at  timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE posthorn_relay_serves (
  relay       uuid   NOT NULL REFERENCES posthorn_relay ON DELETE CASCADE,
  destination text COLLATE "C" NOT NULL,
  types       text[] NOT NULL,
  PRIMARY KEY (relay, destination)
);

-- A lane is a range of the 256 buckets of keys of one destination. The lanes of a destination divide all buckets. A row
-- changes only when its lane is taken or released.
-- Lane 0 always exists and is the gate: a transaction that needs all lanes of a destination locks lane 0 first, and the
-- others in a later statement, which sees lanes that were added while the first one waited.
-- range_token: the same as token, written by relays that read the range. A relay of a version that knows no lanes sets
-- only token, so it cannot be granted a part of a destination: it would send all buckets.
CREATE TABLE posthorn_lane (
  destination  text COLLATE "C" NOT NULL REFERENCES posthorn_destination,
  lane         int      NOT NULL CHECK (lane BETWEEN 0 AND 63),
  first_bucket smallint NOT NULL DEFAULT 0,
  last_bucket  smallint NOT NULL DEFAULT 255,
  relay        uuid,
  token        uuid,
  granted_at   timestamptz,
  range_token  uuid,
  PRIMARY KEY (destination, lane),
  CHECK (0 <= first_bucket AND first_bucket <= last_bucket AND last_bucket <= 255),
  CHECK (destination <> 'unrouted' OR lane = 0),
  CONSTRAINT old_relay_takes_whole_range
    CHECK ((first_bucket = 0 AND last_bucket = 255) OR token IS NOT DISTINCT FROM range_token)
) WITH (fillfactor = 50);

-- How far each lane has come. Append-only; the row with the highest n counts. Everything that s1 sees is settled. If s2
-- is set, the window (s1, s2] is open, and its messages up to last_seq and those in ahead are settled.
-- at: since when the lane stands there. A settle of parked messages alone does not move it, and keeps the time.
-- low1, low2: a transaction that s1 (s2) neither sees nor names as running has only higher seqs.
-- high2: no message that s2 sees has a higher seq.
-- high: the sequence's value when the row was written. No settled message has a higher seq. A restored server has
-- another count of transactions, but its sequence must continue above this number.
CREATE TABLE posthorn_progress (
  slot        smallint    NOT NULL DEFAULT posthorn_slot(clock_timestamp()),
  destination text COLLATE "C" NOT NULL,
  lane        int         NOT NULL,
  n           bigint      NOT NULL DEFAULT nextval('posthorn_progress_n'),
  id          uuid        NOT NULL,
  at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  s1          pg_snapshot NOT NULL,
  low1        bigint      NOT NULL,
  s2          pg_snapshot,
  low2        bigint,
  high2       bigint,
  last_seq    bigint      NOT NULL,
  ahead       bigint[]    NOT NULL DEFAULT '{}',
  high        bigint      NOT NULL DEFAULT coalesce(pg_sequence_last_value('posthorn_seq'), 0)
) PARTITION BY LIST (slot);
CREATE INDEX ON posthorn_progress (destination, lane, n);
CREATE TABLE posthorn_progress_00 PARTITION OF posthorn_progress FOR VALUES IN (0);
CREATE TABLE posthorn_progress_01 PARTITION OF posthorn_progress FOR VALUES IN (1);
CREATE TABLE posthorn_progress_02 PARTITION OF posthorn_progress FOR VALUES IN (2);
CREATE TABLE posthorn_progress_03 PARTITION OF posthorn_progress FOR VALUES IN (3);
CREATE TABLE posthorn_progress_04 PARTITION OF posthorn_progress FOR VALUES IN (4);
CREATE TABLE posthorn_progress_05 PARTITION OF posthorn_progress FOR VALUES IN (5);
CREATE TABLE posthorn_progress_06 PARTITION OF posthorn_progress FOR VALUES IN (6);
CREATE TABLE posthorn_progress_07 PARTITION OF posthorn_progress FOR VALUES IN (7);
CREATE TABLE posthorn_progress_08 PARTITION OF posthorn_progress FOR VALUES IN (8);
CREATE TABLE posthorn_progress_09 PARTITION OF posthorn_progress FOR VALUES IN (9);
CREATE TABLE posthorn_progress_10 PARTITION OF posthorn_progress FOR VALUES IN (10);
CREATE TABLE posthorn_progress_11 PARTITION OF posthorn_progress FOR VALUES IN (11);
CREATE TABLE posthorn_progress_12 PARTITION OF posthorn_progress FOR VALUES IN (12);
CREATE TABLE posthorn_progress_13 PARTITION OF posthorn_progress FOR VALUES IN (13);
CREATE TABLE posthorn_progress_14 PARTITION OF posthorn_progress FOR VALUES IN (14);
CREATE TABLE posthorn_progress_15 PARTITION OF posthorn_progress FOR VALUES IN (15);

-- Whether a lane that stands at this cursor has settled a message. Everybody who asks that of a message asks it here,
-- and of the cursor of the lane that has the message's bucket: posthorn_cursor_of for one key, posthorn_places for many
-- messages. The planner puts the body in place of the call.
CREATE FUNCTION posthorn_settled(
  tx       xid8,
  seq      bigint,
  s1       pg_snapshot,
  s2       pg_snapshot,
  last_seq bigint,
  ahead    bigint[]
) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN pg_visible_in_snapshot(tx, s1)
      OR coalesce(pg_visible_in_snapshot(tx, s2) AND (seq <= last_seq OR seq = ANY (ahead)), false);

-- The cursor of the lane of a destination that has this bucket. No row if the destination has no lanes.
CREATE FUNCTION posthorn_cursor_of(receiver text, bucket smallint)
  RETURNS TABLE (lane int, s1 pg_snapshot, s2 pg_snapshot, last_seq bigint, ahead bigint[])
  LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
AS $cursor$
  SELECT n.lane, y.s1, y.s2, y.last_seq, y.ahead
    FROM posthorn_lane n
   CROSS JOIN LATERAL
         (SELECT p.s1, p.s2, p.last_seq, p.ahead
            FROM posthorn_progress p
           WHERE p.destination = n.destination
             AND p.lane = n.lane
           ORDER BY p.n DESC
           LIMIT 1) y
   WHERE n.destination = receiver
     AND bucket BETWEEN n.first_bucket AND n.last_bucket
$cursor$;

-- The cursors of all lanes of a destination, as arrays in the order of their buckets. posthorn_place tells which element
-- is a message's. No row if the destination has no lanes.
-- firsts: the first bucket of each lane.
-- ahead: of all lanes, because a number occurs in one lane only.
-- running: transactions that any s1 names as running.
-- oldest: the lowest xmin of all s1.
-- floor: above it, all messages of a lane that have not been settled, except those of running transactions.
-- any_open: whether any lane has an open window.
CREATE FUNCTION posthorn_places(receiver text)
  RETURNS TABLE (firsts smallint[], s1s pg_snapshot[], s2s pg_snapshot[], lasts bigint[], ahead bigint[],
                 running xid8[], oldest xid8, floor bigint, any_open boolean)
  LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
AS $places$
  WITH c AS MATERIALIZED (
    SELECT n.first_bucket, y.s1, y.low1, y.s2, y.low2, y.last_seq, y.ahead
      FROM posthorn_lane n
     CROSS JOIN LATERAL
           (SELECT p.s1, p.low1, p.s2, p.low2, p.last_seq, p.ahead
              FROM posthorn_progress p
             WHERE p.destination = n.destination
               AND p.lane = n.lane
             ORDER BY p.n DESC
             LIMIT 1) y
     WHERE n.destination = receiver
  )
  SELECT array_agg(c.first_bucket ORDER BY c.first_bucket),
         array_agg(c.s1 ORDER BY c.first_bucket),
         array_agg(c.s2 ORDER BY c.first_bucket),
         array_agg(c.last_seq ORDER BY c.first_bucket),
         ARRAY (SELECT unnest(a.ahead) FROM c a),
         ARRAY (SELECT DISTINCT r.tx FROM c x CROSS JOIN LATERAL pg_snapshot_xip(x.s1) AS r (tx)),
         (SELECT pg_snapshot_xmin(o.s1) FROM c o ORDER BY pg_snapshot_xmin(o.s1) LIMIT 1),
         min(CASE WHEN c.s2 IS NULL THEN c.low1 ELSE greatest(c.low1, least(c.last_seq, c.low2)) END),
         bool_or(c.s2 IS NOT NULL)
    FROM c
  HAVING count(*) > 0
$places$;

-- Which element of the arrays of posthorn_places is a message's. With one lane no bucket is computed.
CREATE FUNCTION posthorn_place(firsts smallint[], aggregate_type text, key text, id uuid) RETURNS int
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN firsts[2] IS NULL THEN 1
              ELSE width_bucket(posthorn_bucket(aggregate_type, key, id), firsts)
         END;

-- Messages outside the log. Whether a message may be sent is computed: no older message of its key is before it.
-- sender, sequence: for a received message, its sender and its place in the sender's log. Its seq and position are then
-- local, drawn when it was stored.
-- next_attempt_at: null while the message waits for its turn or for a person.
-- dead_letter: the dead letter that the message was requeued from. Attempts before that do not count (attempts_before);
-- with "once" the message gets a single attempt.
-- suspected_at: the message has failed since then, but the fault may lie elsewhere.
-- beside: the lane did not read the message from the log, so older messages of its key may still be unread.
-- bucket: decides which lane the message belongs to. A message is changed only under the lock of that lane.
CREATE TABLE posthorn_parked (
  destination      text COLLATE "C" NOT NULL,
  message_id       uuid        NOT NULL,
  type             text COLLATE "C" NOT NULL,
  schema_version   int         NOT NULL,
  aggregate_type   text COLLATE "C",
  key              text COLLATE "C",
  payload          bytea       NOT NULL,
  content_type     text        NOT NULL,
  headers          jsonb       NOT NULL,
  cipher_key       text,
  occurred_at      timestamptz NOT NULL,
  recorded_at      timestamptz NOT NULL,
  not_before       timestamptz,
  seq              bigint      NOT NULL,
  position         bigint      NOT NULL,
  sender           text,
  sequence         bigint,
  waiting          text        NOT NULL CHECK (waiting IN ('RETRY', 'TURN', 'BEHIND', 'TIME', 'CODE', 'ROUTE', 'PAUSED', 'ANSWER')),
  parked_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  next_attempt_at  timestamptz,
  attempts         int         NOT NULL DEFAULT 0,
  first_failed_at  timestamptz,
  last_failed_at   timestamptz,
  suspected_at     timestamptz,
  last_reason      text,
  last_error       text,
  last_stack       text,
  given_to         text[]      NOT NULL DEFAULT '{}',
  dead_letter      uuid,
  attempts_before  int         NOT NULL DEFAULT 0,
  once             boolean     NOT NULL DEFAULT false,
  operation        uuid,
  beside           boolean     NOT NULL DEFAULT false,
  bucket           smallint    NOT NULL GENERATED ALWAYS AS (posthorn_bucket(aggregate_type, key, message_id)) STORED,
  PRIMARY KEY (destination, message_id)
) WITH (fillfactor = 80);
-- Scheduled messages have no place in the order yet, and there may be many. They have an index of their own.
CREATE INDEX ON posthorn_parked (destination, aggregate_type, key, position, seq) WHERE waiting <> 'TIME';
CREATE INDEX ON posthorn_parked (destination, next_attempt_at) WHERE waiting <> 'TIME' AND next_attempt_at IS NOT NULL;
CREATE INDEX ON posthorn_parked (destination, next_attempt_at) WHERE waiting = 'TIME';
CREATE INDEX ON posthorn_parked (type, destination) WHERE waiting = 'PAUSED';
-- For a relay that takes a lane, and for the doctor.
CREATE INDEX ON posthorn_parked (destination) WHERE waiting = 'CODE';
-- Messages that a consumer parked behind others of their key. A consumer holds no lane, so a relay still has to check
-- whether those others are gone.
CREATE INDEX ON posthorn_parked (destination, position) WHERE waiting = 'BEHIND';
-- For the oldest undelivered message of a destination, which relays ask for every few seconds.
CREATE INDEX ON posthorn_parked (destination, greatest(recorded_at, not_before)) WHERE waiting <> 'TIME';
-- For the question whether any parked message may block its key.
CREATE INDEX ON posthorn_parked (destination, position) WHERE waiting <> 'TIME';

-- Edges: where the parked messages of a lane begin. Deleted rows stay in the indexes as long as a transaction
-- holds an older snapshot, and an index search for the first message would pass all of them. So the search begins at
-- the edge.
-- Append-only; the row with the highest n counts. Without a row, the search begins at the start. A row is written only
-- under the lock of its lane, whose messages it is about: a lane that raised an edge for others would not see what they
-- are just parking below it. A trigger lowers the edge when a message is parked below it.
-- position, behind: no message is parked below position; none waits as BEHIND below behind. Scheduled messages do not
-- count.
-- due, oldest: the same for next_attempt_at and for the age. They are only hints, which a purge verifies now and then.
-- safe: a transaction that parks without that lock either draws higher numbers, or ended before the row was written.
-- safe_at: the same for the times that it writes.
-- low, low_at: the next safe and safe_at, valid once all parking transactions with ids up to low_tx have ended.
CREATE TABLE posthorn_edge (
  destination text COLLATE "C" NOT NULL,
  lane        int         NOT NULL,
  n           bigint      NOT NULL DEFAULT nextval('posthorn_progress_n'),
  at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  position    bigint      NOT NULL,
  behind      bigint      NOT NULL,
  due         timestamptz NOT NULL,
  oldest      timestamptz NOT NULL,
  safe        bigint      NOT NULL,
  safe_at     timestamptz NOT NULL,
  low         bigint      NOT NULL,
  low_at      timestamptz NOT NULL,
  low_tx      xid8        NOT NULL,
  PRIMARY KEY (destination, lane, n)
);
-- For the highest safe of a destination.
CREATE INDEX ON posthorn_edge (destination, safe);

-- The edges of a destination: the lowest of its lanes. Null if it has no lanes.
CREATE FUNCTION posthorn_edges(receiver text)
  RETURNS TABLE ("position" bigint, behind bigint, due timestamptz, oldest timestamptz)
  LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
AS $edges$
  SELECT min(coalesce(x.position, 0)), min(coalesce(x.behind, 0)), min(coalesce(x.due, '-infinity')),
         min(coalesce(x.oldest, '-infinity'))
    FROM posthorn_lane n
    LEFT JOIN LATERAL
         (SELECT e.position, e.behind, e.due, e.oldest
            FROM posthorn_edge e
           WHERE e.destination = n.destination
             AND e.lane = n.lane
           ORDER BY e.n DESC
           LIMIT 1) x ON true
   WHERE n.destination = receiver
$edges$;

-- The same for keys that many messages have left. position is at most safe + 1.
CREATE TABLE posthorn_key_edge (
  destination    text COLLATE "C" NOT NULL,
  aggregate_type text COLLATE "C" NOT NULL,
  key            text COLLATE "C" NOT NULL,
  n              bigint      NOT NULL DEFAULT nextval('posthorn_progress_n'),
  at             timestamptz NOT NULL DEFAULT clock_timestamp(),
  position       bigint      NOT NULL,
  PRIMARY KEY (destination, aggregate_type, key, n)
);

-- A message may be parked with the position it once had. Then the trigger lowers the edges to it, in the same
-- transaction. A position above every safe is above all edges, and nearly all are. The safe of the newest row alone does
-- not tell: a consumer parks without the lane's lock, and may have read the row that it copies before a settle wrote
-- one with a higher safe. A transaction with an old snapshot may not know the newest edge, and must not write one that
-- replaces it; but such a transaction draws numbers above all edges.
CREATE FUNCTION posthorn_lower() RETURNS trigger
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
AS $lower$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT a.destination, a.lane, a.position, a.behind, a.due, a.oldest
      FROM (SELECT d.destination, coalesce(n.lane, 0) AS lane, min(d.position) AS first,
                   min(d.position) FILTER (WHERE d.waiting <> 'TIME') AS position,
                   min(d.position) FILTER (WHERE d.waiting = 'BEHIND') AS behind,
                   min(d.next_attempt_at) AS due,
                   min(greatest(d.recorded_at, d.not_before)) AS oldest
              FROM added d
              LEFT JOIN posthorn_lane n
                ON n.destination = d.destination
               AND d.bucket BETWEEN n.first_bucket AND n.last_bucket
             GROUP BY d.destination, coalesce(n.lane, 0)) a
     CROSS JOIN LATERAL
           (SELECT (SELECT max(y.safe) FROM posthorn_edge y WHERE y.destination = a.destination) AS safe,
                   (SELECT x.due
                      FROM posthorn_edge x
                     WHERE x.destination = a.destination
                       AND x.lane = a.lane
                     ORDER BY x.n DESC
                     LIMIT 1) AS due) e
     WHERE a.first <= coalesce(e.safe, a.first)
        OR (a.due < e.due AND current_setting('transaction_isolation') = 'read committed')
  LOOP
    INSERT INTO posthorn_key_edge (destination, aggregate_type, key, position)
    SELECT one.destination, a.aggregate_type, a.key, a.position
      FROM (SELECT d.aggregate_type, d.key, min(d.position) AS position
              FROM added d
             WHERE d.destination = one.destination
               AND d.key IS NOT NULL
               AND d.waiting <> 'TIME'
             GROUP BY d.aggregate_type, d.key) a
     WHERE a.position < (SELECT x.position
                           FROM posthorn_key_edge x
                          WHERE x.destination = one.destination
                            AND x.aggregate_type = a.aggregate_type
                            AND x.key = a.key
                          ORDER BY x.n DESC
                          LIMIT 1);
    INSERT INTO posthorn_edge (destination, lane, position, behind, due, oldest, safe, safe_at, low, low_at, low_tx)
    SELECT one.destination, one.lane, least(x.position, one.position), least(x.behind, one.behind), least(x.due, one.due),
           least(x.oldest, one.oldest), x.safe, x.safe_at, x.low, x.low_at, x.low_tx
      FROM (SELECT e.position, e.behind, e.due, e.oldest, e.safe, e.safe_at, e.low, e.low_at, e.low_tx
              FROM posthorn_edge e
             WHERE e.destination = one.destination
               AND e.lane = one.lane
             ORDER BY e.n DESC
             LIMIT 1) x
     WHERE x.position > one.position
        OR x.behind > one.behind
        OR x.due > one.due
        OR x.oldest > one.oldest;
  END LOOP;
  RETURN NULL;
END
$lower$;

REVOKE ALL ON FUNCTION posthorn_lower FROM PUBLIC;

CREATE TRIGGER lower_edges AFTER INSERT ON posthorn_parked
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION posthorn_lower();

-- The times of edges that were written before the server's clock was set back. No parked message with an earlier time is
-- searched for, and a transaction that gives one its turn now writes such a time. So each transaction that may do that
-- calls this under the lock of the lane: then the next edges are computed from all parked messages. An UPDATE of parked
-- messages is too frequent for a trigger. Without destinations: all. With a lane: only that one of them, because the
-- caller has locked no other.
CREATE FUNCTION posthorn_begin_times_anew(destinations text[], locked_lane int) RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
AS $anew$
BEGIN
  INSERT INTO posthorn_edge (destination, lane, position, behind, due, oldest, safe, safe_at, low, low_at, low_tx)
  SELECT n.destination, n.lane, x.position, x.behind, '-infinity', '-infinity', x.safe, '-infinity', x.low, x.low_at,
         x.low_tx
    FROM unnest(coalesce(destinations, ARRAY (SELECT name FROM posthorn_destination))) AS d (name)
    JOIN posthorn_lane n ON n.destination = d.name AND (locked_lane IS NULL OR n.lane = locked_lane)
   CROSS JOIN LATERAL
         (SELECT e.position, e.behind, e.due, e.safe, e.low, e.low_at, e.low_tx
            FROM posthorn_edge e
           WHERE e.destination = n.destination
             AND e.lane = n.lane
           ORDER BY e.n DESC
           LIMIT 1) x
   WHERE x.low_at > statement_timestamp()
     AND x.due > '-infinity';
END
$anew$;

REVOKE ALL ON FUNCTION posthorn_begin_times_anew FROM PUBLIC;

-- Keys that wait for a person: because a message of theirs died, or because a person paused them. Ending one does not
-- end the other.
CREATE TABLE posthorn_held (
  destination    text COLLATE "C" NOT NULL,
  aggregate_type text COLLATE "C" NOT NULL,
  key            text COLLATE "C" NOT NULL,
  paused         boolean     NOT NULL DEFAULT false,
  dead_id        uuid,
  held_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  who            text,
  why            text,
  PRIMARY KEY (destination, aggregate_type, key, paused),
  CHECK (paused = (dead_id IS NULL))
);

-- Every attempt, except the first successful one of a message in the log, which follows from the progress. Append-only.
CREATE TABLE posthorn_attempt (
  destination text COLLATE "C" NOT NULL,
  message_id  uuid        NOT NULL,
  attempt     int         NOT NULL,
  at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  outcome     text        NOT NULL CHECK (outcome IN ('SENT', 'SKIPPED_STALE', 'FAILED', 'REJECTED')),
  reason      text,
  error       text,
  PRIMARY KEY (message_id, destination, attempt)
);
CREATE INDEX ON posthorn_attempt (at);

-- A dead letter stays after its rescue: outcome is the result of the rescue, previous the letter that the message left
-- before.
-- corrected: the payload that the message was requeued with, if a person corrected it. It is encrypted as payload is.
-- restored_at: when the letter came back from an archive. Its retention begins again then.
CREATE TABLE posthorn_dead (
  id               uuid        PRIMARY KEY DEFAULT posthorn_uuid(),
  destination      text COLLATE "C" NOT NULL,
  message_id       uuid        NOT NULL,
  type             text COLLATE "C" NOT NULL,
  schema_version   int         NOT NULL,
  aggregate_type   text COLLATE "C",
  key              text COLLATE "C",
  payload          bytea       NOT NULL,
  content_type     text        NOT NULL,
  headers          jsonb       NOT NULL,
  cipher_key       text,
  occurred_at      timestamptz NOT NULL,
  recorded_at      timestamptz NOT NULL,
  not_before       timestamptz,
  seq              bigint      NOT NULL,
  position         bigint      NOT NULL,
  sender           text,
  sequence         bigint,
  state            text COLLATE "C" NOT NULL DEFAULT 'DEAD' CHECK (state IN ('DEAD', 'REQUEUED', 'SENT', 'DISCARDED')),
  reason           text        NOT NULL,
  last_reason      text        NOT NULL,
  error            text        NOT NULL,
  stack            text,
  fingerprint      text COLLATE "C" NOT NULL,
  attempts         int         NOT NULL,
  first_failed_at  timestamptz NOT NULL,
  last_failed_at   timestamptz NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  previous         uuid,
  requeued_at      timestamptz,
  requeued_as      uuid,
  corrected        bytea,
  operation        uuid,
  outcome          text COLLATE "C" CHECK (outcome IN ('SENT', 'SKIPPED_STALE', 'DEAD')),
  outcome_at       timestamptz,
  restored_at      timestamptz
);
-- Dead letters are counted and ranked from this index alone.
CREATE INDEX ON posthorn_dead (state, created_at, id) INCLUDE (fingerprint, destination, type, reason, last_reason);
CREATE INDEX ON posthorn_dead (destination, created_at) INCLUDE (fingerprint, type) WHERE state = 'DEAD';
CREATE INDEX ON posthorn_dead (outcome) WHERE requeued_at IS NOT NULL;
CREATE INDEX ON posthorn_dead (fingerprint, created_at);
CREATE INDEX ON posthorn_dead (message_id);
CREATE INDEX ON posthorn_dead (key, aggregate_type);
CREATE INDEX ON posthorn_dead (requeued_as) WHERE requeued_as <> message_id;
CREATE INDEX ON posthorn_dead (position, id) WHERE state = 'DEAD';
-- fastupdate is off because a relay would have to flush the pending list in the middle of a settle.
CREATE INDEX ON posthorn_dead USING gin (headers jsonb_path_ops) WITH (fastupdate = off);

-- Whether a dead letter is one of those that were asked for. A condition that is null asks for nothing, and so does '{}'
-- for the headers. Texts are compared without regard to the case of A to Z. The planner puts the body in place of the
-- call, so that the plans are those of the written-out conditions.
CREATE FUNCTION posthorn_is_asked_for(
  letter         posthorn_dead,
  destination    text,
  type           text,
  reason         text,
  aggregate_type text,
  key            text,
  from_time      timestamptz,
  to_time        timestamptz,
  error          text,
  headers        jsonb,
  fingerprint    text,
  message_id     uuid
) RETURNS boolean
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (destination IS NULL OR (letter).destination = destination)
     AND (type IS NULL OR (letter).type = type)
     AND (reason IS NULL OR reason = (letter).reason OR reason = (letter).last_reason)
     AND (aggregate_type IS NULL OR (letter).aggregate_type = aggregate_type)
     AND (key IS NULL OR (letter).key = key)
     AND (letter).created_at >= coalesce(from_time, '-infinity')
     AND (letter).created_at < coalesce(to_time, 'infinity')
     AND (error IS NULL OR position(lower(error COLLATE "C") IN lower((letter).error COLLATE "C")) > 0)
     AND (headers = '{}' OR (letter).headers @> headers)
     AND (fingerprint IS NULL OR (letter).fingerprint = fingerprint)
     AND (message_id IS NULL OR (letter).message_id = message_id);

-- What people know about a cause, and who takes care of it. The row stays when its dead letters are gone, because the
-- cause may return.
CREATE TABLE posthorn_cause (
  fingerprint text COLLATE "C" PRIMARY KEY,
  note        text,
  owner       text,
  noted_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  noted_by    text        NOT NULL
);

-- Messages that were removed from the log, if the archive is in these tables, and messages that were read back from
-- files. Delivery never reads them.
CREATE TABLE posthorn_archive (
  id             uuid        NOT NULL,
  seq            bigint      NOT NULL,
  recorded_at    timestamptz NOT NULL,
  type           text COLLATE "C" NOT NULL,
  schema_version int         NOT NULL,
  aggregate_type text COLLATE "C",
  key            text COLLATE "C",
  payload        bytea       NOT NULL,
  content_type   text        NOT NULL,
  headers        jsonb       NOT NULL,
  cipher_key     text,
  occurred_at    timestamptz NOT NULL,
  not_before     timestamptz,
  archived_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id, seq)
);
CREATE INDEX ON posthorn_archive (recorded_at);
CREATE INDEX ON posthorn_archive (aggregate_type, key);

-- The same for dead letters; history has their attempts.
CREATE TABLE posthorn_archive_dead (
  LIKE posthorn_dead,
  history     jsonb       NOT NULL,
  archived_at timestamptz NOT NULL,
  PRIMARY KEY (id)
);

-- How far each archive has copied each leaf of the log. It has everything that s1 sees. If s2 is set, the archive is
-- being given what s2 sees as well, in the order of (tx, seq), and has reached last_tx and last_seq. The row with leaf
-- '' says that the archive is in use. A relay without an archive then removes nothing.
CREATE TABLE posthorn_archived (
  archive    text COLLATE "C" NOT NULL,
  leaf       text COLLATE "C" NOT NULL,
  s1         pg_snapshot NOT NULL,
  s2         pg_snapshot,
  last_tx    xid8        NOT NULL DEFAULT '0',
  last_seq   bigint      NOT NULL DEFAULT 0,
  messages   bigint      NOT NULL DEFAULT 0,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (archive, leaf)
);

-- With several archives in use: which archive has which dead letter, in which state. The rows are removed with the dead
-- letter, once all archives have it.
CREATE TABLE posthorn_archived_letter (
  letter  uuid NOT NULL,
  archive text COLLATE "C" NOT NULL,
  state   text NOT NULL,
  PRIMARY KEY (letter, archive)
);

-- What people did, and why. Each row has a hash of itself and the row before, so that a change shows. No role may write
-- this table; posthorn_note writes it. who is what the program said, role the database role that it used.
CREATE TABLE posthorn_audit (
  n      bigint      PRIMARY KEY,
  at     timestamptz NOT NULL,
  who    text        NOT NULL,
  role   text        NOT NULL,
  action text        NOT NULL,
  target text        NOT NULL,
  why    text        NOT NULL,
  before text,
  after  text,
  hash   text        NOT NULL
);

-- Protects against mistakes, including those of the tables' owner. An owner who drops the trigger can still change
-- rows, but the chain of hashes shows it.
CREATE FUNCTION posthorn_append_only() RETURNS trigger
  LANGUAGE plpgsql
AS $append$
BEGIN
  RAISE EXCEPTION '% of % was refused: the audit log is append-only', TG_OP, TG_TABLE_NAME;
END
$append$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON posthorn_audit
  FOR EACH STATEMENT EXECUTE FUNCTION posthorn_append_only();

-- A time as the audit's hash formats it: UTC, with 0, 3 or 6 digits of the second, as few as are exact.
CREATE FUNCTION posthorn_instant(at timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
         || regexp_replace(to_char(at AT TIME ZONE 'UTC', '.US'), '(\.000|000)?000$', '')
         || 'Z';

-- A text with its length in front, so that no text can move from one field of the hash to the next.
CREATE FUNCTION posthorn_framed(field text) RETURNS bytea
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN CASE WHEN field IS NULL THEN int4send(-1)
              ELSE int4send(octet_length(convert_to(field, 'UTF8'))) || convert_to(field, 'UTF8')
         END;

-- Adds an audit entry for each target, in the running transaction. Other writers wait for its end, because of the
-- chain. The caller cannot choose number, time, role and hash. The function runs with the rights of the tables' owner,
-- because callers must not write the table.
CREATE FUNCTION posthorn_note(who text, action text, why text, targets text[], befores text[], afters text[]) RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
AS $note$
DECLARE
  last_n    bigint;
  last_hash text;
  now       timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(1349350516, 1);
  now := clock_timestamp();
  SELECT a.n, a.hash
    INTO last_n, last_hash
    FROM posthorn_audit a
   ORDER BY a.n DESC
   LIMIT 1;
  last_n := coalesce(last_n, 0);
  last_hash := coalesce(last_hash, repeat('0', 64));
  FOR i IN 1 .. cardinality(targets) LOOP
    last_n := last_n + 1;
    last_hash := encode(sha256(posthorn_framed(last_hash)
                               || posthorn_framed(last_n::text)
                               || posthorn_framed(posthorn_instant(now))
                               || posthorn_framed(who)
                               || posthorn_framed(session_user)
                               || posthorn_framed(action)
                               || posthorn_framed(targets[i])
                               || posthorn_framed(why)
                               || posthorn_framed(befores[i])
                               || posthorn_framed(afters[i])), 'hex');
    INSERT INTO posthorn_audit (n, at, who, role, action, target, why, before, after, hash)
    VALUES (last_n, now, who, session_user, action, targets[i], why, befores[i], afters[i], last_hash);
  END LOOP;
END
$note$;
REVOKE ALL ON FUNCTION posthorn_note FROM PUBLIC;

-- Operations (bulk actions). A step locks the row, and writes the progress in the transaction of its work. Dead letters
-- are processed in the order of (position, id), messages in the order of seq; both continue after last_position,
-- last_id.
-- upto: messages above it were added after the operation started.
-- paced_at: the time until which the rate is used up.
-- moved_at: when the operation last did something, or last received an outcome.
-- retrying: messages that have failed and are being retried.
-- stuck: messages that had not been tried when nothing had happened for a while.
-- judged_*: the outcomes counted when the operation was last resumed.
CREATE TABLE posthorn_operation (
  id              uuid        PRIMARY KEY,
  action          text        NOT NULL CHECK (action IN ('REQUEUE', 'REQUEUE_NEW_ID', 'SEND_ONCE', 'DISCARD', 'RESEND', 'REWIND')),
  selection       jsonb       NOT NULL,
  canary          int         NOT NULL,
  rate_per_second double precision,
  stop_at         double precision NOT NULL,
  who             text        NOT NULL,
  why             text        NOT NULL,
  created_at      timestamptz NOT NULL,
  upto            bigint      NOT NULL,
  total           bigint      NOT NULL,
  state           text        NOT NULL DEFAULT 'RUNNING' CHECK (state IN ('RUNNING', 'STOPPED', 'DONE')),
  note            text,
  ended_at        timestamptz,
  last_position   bigint      NOT NULL,
  last_id         uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  paced_at        timestamptz NOT NULL,
  moved_at        timestamptz NOT NULL,
  done            bigint      NOT NULL DEFAULT 0,
  refused         bigint      NOT NULL DEFAULT 0,
  sent            bigint      NOT NULL DEFAULT 0,
  died            bigint      NOT NULL DEFAULT 0,
  retrying        bigint      NOT NULL DEFAULT 0,
  stuck           bigint      NOT NULL DEFAULT 0,
  judged_sent     bigint      NOT NULL DEFAULT 0,
  judged_died     bigint      NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE INDEX ON posthorn_operation (created_at);
CREATE INDEX ON posthorn_operation (id) WHERE state = 'RUNNING';

-- Outcomes of messages that an operation sent: one row for each settle, added up by the next step. So many lanes can
-- report at once without waiting for each other. retrying is a difference: plus one when a message fails for the first
-- time, minus one when it is sent or dies later.
CREATE TABLE posthorn_operation_outcome (
  operation uuid   NOT NULL,
  sent      bigint NOT NULL,
  died      bigint NOT NULL,
  retrying  bigint NOT NULL
);
CREATE INDEX ON posthorn_operation_outcome (operation);

-- The open breakers of lanes, for people to see. Each lane has its own: one that recovers says nothing of the others.
CREATE TABLE posthorn_breaker (
  destination text COLLATE "C" NOT NULL,
  lane        int         NOT NULL,
  relay       text        NOT NULL,
  opened_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  reason      text        NOT NULL,
  error       text        NOT NULL,
  PRIMARY KEY (destination, lane)
);

-- What a relay found when it last checked for a lane whether it could send, for people to see: one element for each
-- finding.
CREATE TABLE posthorn_check (
  destination text COLLATE "C" NOT NULL,
  lane        int         NOT NULL,
  relay       text        NOT NULL,
  checked_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  problems    boolean[]   NOT NULL,
  names       text[]      NOT NULL,
  texts       text[]      NOT NULL,
  PRIMARY KEY (destination, lane)
);

-- The built-in destination for messages that no route wants. It begins where the log begins.
INSERT INTO posthorn_destination (name) VALUES ('unrouted');
INSERT INTO posthorn_lane (destination, lane) VALUES ('unrouted', 0);
INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
VALUES ('unrouted', 0, gen_random_uuid(), pg_current_snapshot(), 0, 0);

-- Locks keys until the transaction ends. One call locks its keys in a fixed order, so two calls for the same keys
-- cannot deadlock; a collision of hashes only makes one wait. Returns the number of keys that the transaction has
-- locked then. If that would exceed 1,000, the call locks nothing and returns the number: each lock takes a place in
-- the server's lock table, which all transactions share. A setting remembers the locked keys; it ends with the
-- transaction, and rolling back to a savepoint resets it together with the locks.
CREATE FUNCTION posthorn_lock_keys(keys text[]) RETURNS int
  LANGUAGE plpgsql VOLATILE
AS $lock$
DECLARE
  held int[] := coalesce(string_to_array(nullif(current_setting('posthorn.locked_keys', true), ''), ',')::int[], '{}');
  more int[] := ARRAY (SELECT hashtext(t.key COLLATE "C")
                         FROM unnest(keys) AS t (key)
                       EXCEPT
                       SELECT unnest(held)
                        ORDER BY 1);
BEGIN
  IF cardinality(more) > 0 AND cardinality(held) + cardinality(more) <= 1000 THEN
    PERFORM pg_advisory_xact_lock(1349350516, m.hash) FROM unnest(more) AS m (hash);
    PERFORM set_config('posthorn.locked_keys', array_to_string(held || more, ','), true);
  END IF;
  RETURN cardinality(held) + cardinality(more);
END
$lock$;

-- Adds a message from any language, in the running transaction, and returns its id. With "ordered", the key stays
-- locked until the transaction ends, so that the order of the log is the order of the transactions.
CREATE FUNCTION posthorn_add(
  type           text,
  payload        bytea,
  aggregate_type text        DEFAULT NULL,
  key            text        DEFAULT NULL,
  content_type   text        DEFAULT 'application/json',
  headers        jsonb       DEFAULT '{}',
  id             uuid        DEFAULT NULL,
  occurred_at    timestamptz DEFAULT NULL,
  not_before     timestamptz DEFAULT NULL,
  schema_version int         DEFAULT 1,
  ordered        boolean     DEFAULT false,
  payload_limit  int         DEFAULT 1048576
) RETURNS uuid
  LANGUAGE plpgsql VOLATILE
AS $add$
#variable_conflict use_variable
DECLARE
  new_id   uuid  := coalesce(id, posthorn_uuid());
  texts    jsonb := headers;
  too_long boolean;
BEGIN
  IF type !~ '^[A-Za-z][A-Za-z0-9._/-]{0,199}$' THEN
    RAISE EXCEPTION 'POSTHORN-002: type "%" was not accepted: a type is a logical name of at most 200 letters, digits, ".", "_", "/" or "-", starting with a letter', left(type, 60)
      USING ERRCODE = 'check_violation';
  END IF;
  IF (aggregate_type IS NULL) <> (key IS NULL) THEN
    RAISE EXCEPTION 'POSTHORN-002: message "%" was not added: a key is an aggregate_type and a key. Give both or neither', type
      USING ERRCODE = 'check_violation';
  END IF;
  IF octet_length(payload) > least(payload_limit, 33554432) THEN
    RAISE EXCEPTION 'POSTHORN-004: message "%" was not added: its payload has % bytes and the limit is %. Store the content elsewhere and send a reference, or give another payload_limit, 33554432 at most', type, octet_length(payload), least(payload_limit, 33554432)
      USING ERRCODE = 'check_violation';
  END IF;
  IF length(aggregate_type) > 255 OR length(key) > 255 OR length(content_type) > 200 THEN
    RAISE EXCEPTION 'POSTHORN-005: message "%" was not added: aggregate_type and key may have 255 characters, content_type 200. Shorten them', type
      USING ERRCODE = 'check_violation';
  END IF;
  IF jsonb_typeof(headers) <> 'object' THEN
    RAISE EXCEPTION 'POSTHORN-002: message "%" was not added: headers are a JSON object of names and values', type
      USING ERRCODE = 'check_violation';
  END IF;
  -- Header values are texts. A value of another type is stored as its JSON text.
  IF headers <> '{}' THEN
    SELECT count(*) > 64
             OR bool_or(length(h.key) > 100)
             OR bool_or(length(h.value) > CASE h.key WHEN 'correlation-id' THEN 255 ELSE 4096 END)
             OR sum(octet_length(h.key) + octet_length(h.value)) > 65536,
           jsonb_object_agg(h.key, coalesce(h.value, 'null'))
      INTO too_long, texts
      FROM jsonb_each_text(headers) h;
    IF too_long THEN
      RAISE EXCEPTION 'POSTHORN-005: message "%" was not added: it may have 64 headers with names of 100 characters and values of 4096, a correlation-id of 255, and 65536 bytes together. Shorten them', type
        USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  IF occurred_at NOT BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00'
     OR not_before NOT BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59+00' THEN
    RAISE EXCEPTION 'POSTHORN-002: message "%" was not added: occurred_at and not_before must lie in the years 1 to 9999. Give such a time; without not_before the message is sent at once', type
      USING ERRCODE = 'check_violation';
  END IF;
  IF ordered AND key IS NOT NULL AND posthorn_lock_keys(ARRAY[aggregate_type || '/' || key]) > 1000 THEN
    RAISE EXCEPTION 'POSTHORN-014: message "%" was not added: this transaction would lock more than 1,000 keys, and all transactions share the server''s lock table. Split the transaction', type
      USING ERRCODE = 'check_violation';
  END IF;
  IF id IS NOT NULL THEN
    INSERT INTO posthorn_given_id (id) VALUES (id) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'POSTHORN-006: message "%" (%) was not added: a message with this id was added before. If this transaction is a repetition, roll it back: the first one was committed. If not, choose another id', type, id
        USING ERRCODE = 'unique_violation';
    END IF;
  END IF;
  INSERT INTO posthorn_log (id, type, schema_version, aggregate_type, key, payload, content_type, headers, occurred_at, not_before)
  VALUES (new_id, type, schema_version, aggregate_type, key,
          payload, content_type, texts,
          coalesce(occurred_at, clock_timestamp()), not_before);
  RETURN new_id;
END
$add$;

-- ---- Received messages.

CREATE DOMAIN posthorn_receipt_state AS text CHECK (VALUE IN ('STORED', 'HANDLED', 'SKIPPED_STALE', 'AGAIN'));

-- Receipts: one row for each message that a consumer has received. The unique index decides whether a message takes
-- effect. The table is a ring, too. The slot is the day in a version 7 id, modulo 40: the unique key must contain the
-- slot, and a copy that arrives on another day must meet the first one. Ids without a time, or with an impossible time,
-- have a leaf of their own.
-- again: a person has asked for the message again, so its sequence no longer matters, however long it waits then.
-- digest: SHA-256 of the payload. corrected: SHA-256 of another payload that was handled instead, because a person
-- corrected it.
CREATE TABLE posthorn_receipt (
  slot        smallint               NOT NULL,
  consumer    text COLLATE "C"       NOT NULL,
  sender      text COLLATE "C"       NOT NULL,
  id          uuid                   NOT NULL,
  state       posthorn_receipt_state NOT NULL,
  digest      bytea                  NOT NULL,
  received_at timestamptz            NOT NULL DEFAULT clock_timestamp(),
  handled_at  timestamptz,
  corrected   bytea,
  again       boolean                NOT NULL DEFAULT false,
  PRIMARY KEY (consumer, id, sender, slot)
) PARTITION BY LIST (slot);
-- For people who search by time. The index is cheap, because rows arrive in the order of their time.
CREATE INDEX ON posthorn_receipt USING brin (received_at) WITH (pages_per_range = 16);
CREATE TABLE posthorn_receipt_00 PARTITION OF posthorn_receipt FOR VALUES IN (0);
CREATE TABLE posthorn_receipt_01 PARTITION OF posthorn_receipt FOR VALUES IN (1);
CREATE TABLE posthorn_receipt_02 PARTITION OF posthorn_receipt FOR VALUES IN (2);
CREATE TABLE posthorn_receipt_03 PARTITION OF posthorn_receipt FOR VALUES IN (3);
CREATE TABLE posthorn_receipt_04 PARTITION OF posthorn_receipt FOR VALUES IN (4);
CREATE TABLE posthorn_receipt_05 PARTITION OF posthorn_receipt FOR VALUES IN (5);
CREATE TABLE posthorn_receipt_06 PARTITION OF posthorn_receipt FOR VALUES IN (6);
CREATE TABLE posthorn_receipt_07 PARTITION OF posthorn_receipt FOR VALUES IN (7);
CREATE TABLE posthorn_receipt_08 PARTITION OF posthorn_receipt FOR VALUES IN (8);
CREATE TABLE posthorn_receipt_09 PARTITION OF posthorn_receipt FOR VALUES IN (9);
CREATE TABLE posthorn_receipt_10 PARTITION OF posthorn_receipt FOR VALUES IN (10);
CREATE TABLE posthorn_receipt_11 PARTITION OF posthorn_receipt FOR VALUES IN (11);
CREATE TABLE posthorn_receipt_12 PARTITION OF posthorn_receipt FOR VALUES IN (12);
CREATE TABLE posthorn_receipt_13 PARTITION OF posthorn_receipt FOR VALUES IN (13);
CREATE TABLE posthorn_receipt_14 PARTITION OF posthorn_receipt FOR VALUES IN (14);
CREATE TABLE posthorn_receipt_15 PARTITION OF posthorn_receipt FOR VALUES IN (15);
CREATE TABLE posthorn_receipt_16 PARTITION OF posthorn_receipt FOR VALUES IN (16);
CREATE TABLE posthorn_receipt_17 PARTITION OF posthorn_receipt FOR VALUES IN (17);
CREATE TABLE posthorn_receipt_18 PARTITION OF posthorn_receipt FOR VALUES IN (18);
CREATE TABLE posthorn_receipt_19 PARTITION OF posthorn_receipt FOR VALUES IN (19);
CREATE TABLE posthorn_receipt_20 PARTITION OF posthorn_receipt FOR VALUES IN (20);
CREATE TABLE posthorn_receipt_21 PARTITION OF posthorn_receipt FOR VALUES IN (21);
CREATE TABLE posthorn_receipt_22 PARTITION OF posthorn_receipt FOR VALUES IN (22);
CREATE TABLE posthorn_receipt_23 PARTITION OF posthorn_receipt FOR VALUES IN (23);
CREATE TABLE posthorn_receipt_24 PARTITION OF posthorn_receipt FOR VALUES IN (24);
CREATE TABLE posthorn_receipt_25 PARTITION OF posthorn_receipt FOR VALUES IN (25);
CREATE TABLE posthorn_receipt_26 PARTITION OF posthorn_receipt FOR VALUES IN (26);
CREATE TABLE posthorn_receipt_27 PARTITION OF posthorn_receipt FOR VALUES IN (27);
CREATE TABLE posthorn_receipt_28 PARTITION OF posthorn_receipt FOR VALUES IN (28);
CREATE TABLE posthorn_receipt_29 PARTITION OF posthorn_receipt FOR VALUES IN (29);
CREATE TABLE posthorn_receipt_30 PARTITION OF posthorn_receipt FOR VALUES IN (30);
CREATE TABLE posthorn_receipt_31 PARTITION OF posthorn_receipt FOR VALUES IN (31);
CREATE TABLE posthorn_receipt_32 PARTITION OF posthorn_receipt FOR VALUES IN (32);
CREATE TABLE posthorn_receipt_33 PARTITION OF posthorn_receipt FOR VALUES IN (33);
CREATE TABLE posthorn_receipt_34 PARTITION OF posthorn_receipt FOR VALUES IN (34);
CREATE TABLE posthorn_receipt_35 PARTITION OF posthorn_receipt FOR VALUES IN (35);
CREATE TABLE posthorn_receipt_36 PARTITION OF posthorn_receipt FOR VALUES IN (36);
CREATE TABLE posthorn_receipt_37 PARTITION OF posthorn_receipt FOR VALUES IN (37);
CREATE TABLE posthorn_receipt_38 PARTITION OF posthorn_receipt FOR VALUES IN (38);
CREATE TABLE posthorn_receipt_39 PARTITION OF posthorn_receipt FOR VALUES IN (39);
CREATE TABLE posthorn_receipt_undated PARTITION OF posthorn_receipt FOR VALUES IN (-1);
CREATE INDEX ON posthorn_receipt_undated (received_at);

-- The highest sequence of each key that was handled, and the one before. day counts from 1970. It changes at most once
-- a day, so that nearly every update leaves the indexes alone.
CREATE TABLE posthorn_handled (
  consumer       text COLLATE "C" NOT NULL,
  sender         text COLLATE "C" NOT NULL,
  aggregate_type text COLLATE "C" NOT NULL,
  key            text COLLATE "C" NOT NULL,
  sequence       bigint           NOT NULL,
  previous       bigint           NOT NULL,
  day            int              NOT NULL,
  PRIMARY KEY (consumer, key, aggregate_type, sender)
) WITH (fillfactor = 70);
CREATE INDEX ON posthorn_handled (day);

-- The subscription owns the transaction that handlers run in. If a handler could commit it, the receipts of the whole
-- batch would count, including those of messages whose handlers fail later. If a handler could roll it back unnoticed,
-- the effects of earlier handlers would be lost. So posthorn_receive sets posthorn.handlers, which ends with the
-- transaction, and inserts and deletes one row here. The constraint trigger on that row refuses every COMMIT before
-- posthorn_seal, and posthorn_seal refuses a transaction other than the one of the receipts.
CREATE UNLOGGED TABLE posthorn_handling (
  tx xid8 NOT NULL DEFAULT pg_current_xact_id()
);

CREATE FUNCTION posthorn_refuse_commit() RETURNS trigger
  LANGUAGE plpgsql
AS $refuse$
BEGIN
  IF current_setting('posthorn.handlers', true) IS DISTINCT FROM 'done' THEN
    RAISE EXCEPTION 'POSTHORN-020: nothing was committed: a handler sent COMMIT, or SET CONSTRAINTS ALL, but the transaction is the subscription''s, which commits it together with the receipts after the handlers have returned. Remove the call, or name your own constraints'
      USING ERRCODE = 'invalid_transaction_state';
  END IF;
  RETURN NULL;
END
$refuse$;

CREATE CONSTRAINT TRIGGER refuse_commit AFTER INSERT ON posthorn_handling
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION posthorn_refuse_commit();

CREATE FUNCTION posthorn_seal() RETURNS void
  LANGUAGE plpgsql
AS $seal$
BEGIN
  IF current_setting('posthorn.handlers', true) IS DISTINCT FROM 'at work' THEN
    RAISE EXCEPTION 'this is not the transaction in which the receipts were written'
      USING ERRCODE = 'invalid_transaction_state';
  END IF;
  PERFORM set_config('posthorn.handlers', 'done', true);
END
$seal$;

-- Which of these keys, by their places in the arrays, must wait: they have a parked message that others must not
-- overtake, or are held.
CREATE FUNCTION posthorn_waiting(receiver text, aggregate_types text[], keys text[]) RETURNS SETOF bigint
  LANGUAGE sql STABLE
AS $waiting$
  SELECT m.n
    FROM unnest(aggregate_types, keys) WITH ORDINALITY AS m (aggregate_type, key, n)
   WHERE coalesce((SELECT true
                     FROM posthorn_parked p
                    WHERE p.destination = receiver
                      AND p.aggregate_type = m.aggregate_type
                      AND p.key = m.key
                      AND p.position >= coalesce((SELECT e.position
                                                    FROM posthorn_key_edge e
                                                   WHERE e.destination = receiver
                                                     AND e.aggregate_type = m.aggregate_type
                                                     AND e.key = m.key
                                                   ORDER BY e.n DESC
                                                   LIMIT 1), 0)
                      AND p.waiting <> 'TIME'
                    ORDER BY p.position, p.seq
                    LIMIT 1),
                  (SELECT true
                     FROM posthorn_held h
                    WHERE h.destination = receiver
                      AND h.aggregate_type = m.aggregate_type
                      AND h.key = m.key
                    LIMIT 1))
$waiting$;

-- Writes receipts for messages, in the running transaction, and returns a verdict for each:
--   NEW, OUT_OF_ORDER, AGAIN     handle it; its receipt is HANDLED, and is undone with the transaction
--   PARKED                       park it; its receipt is STORED
--   SKIPPED_STALE, DUPLICATE     do nothing
--   ID_REUSED, OUT_OF_HORIZON    make it a dead letter
--   PAUSED                       nothing was done, because the consumer is paused
-- purpose: RECEIVE = from a source, to be handled; STORE = from a source, to be parked; HANDLE = from a relay, perhaps
-- stored before; ONCE = from an application, which has no dead letters.
-- receipts: false if handled messages need no receipt.
-- guarded: handlers that must not end the transaction will handle the messages; see posthorn_seal.
-- days: the days since 1970 in version 7 ids, null for other ids. A pair of sender and id must not occur twice.
-- The settings apply inside the function only, except synchronous_commit: the commit must reach the disk, because the
-- source forgets the message then, and a crash must not take back its effect and its receipt.
-- A call that meets an open transaction with one of these messages waits for it, but not for long. All calls write
-- their rows in the same order, so that two batches cannot wait for each other.
-- The function runs with the rights of the tables' owner, like posthorn_park and posthorn_bury; their comment says why.
CREATE FUNCTION posthorn_receive(
  receiver        text,
  purpose         text,
  latest_wins     boolean,
  receipts        boolean,
  guarded         boolean,
  senders         text[],
  ids             uuid[],
  days            int[],
  digests         bytea[],
  types           text[],
  aggregate_types text[],
  keys            text[],
  sequences       bigint[]
) RETURNS text[]
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
  SET lock_timeout = '2s'
  SET plan_cache_mode = 'force_generic_plan'
  SET enable_seqscan = off
  SET enable_bitmapscan = off
  SET enable_nestloop = off
  SET jit = off
AS $receive$
DECLARE
  today       int := floor(date_part('epoch', clock_timestamp()) / 86400);
  verdicts    text[] := array_fill(CASE purpose WHEN 'STORE' THEN 'PARKED' ELSE 'NEW' END, ARRAY[cardinality(ids)]);
  slots       smallint[];
  paused      text[];
  blocked     boolean;
  some_known  boolean := current_setting('transaction_isolation') <> 'read committed';
  doubtful    boolean;
  chosen      bigint[];
  asked       bigint[];
  new_ids     uuid[];
  new_senders text[];
  found       bigint[];
  said        text[];
  slot_now    smallint;
  n           bigint;
  one         record;
  place       tid;
BEGIN
  -- Set until the end of the transaction: a SET clause of the function would be undone when the function returns.
  -- Stronger levels stay as they are.
  IF current_setting('synchronous_commit') IN ('off', 'local') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  IF purpose = 'RECEIVE' THEN
    SELECT ARRAY (SELECT p.type FROM posthorn_pause p WHERE p.destination IN (receiver, '*')),
           coalesce((SELECT true
                       FROM posthorn_parked p
                      WHERE p.destination = receiver
                        AND p.position >= coalesce((SELECT e.position FROM posthorn_edges(receiver) e), 0)
                        AND p.waiting <> 'TIME'
                      ORDER BY p.position
                      LIMIT 1),
                    EXISTS (SELECT 1 FROM posthorn_held h WHERE h.destination = receiver))
      INTO paused, blocked;
    IF '*' = ANY (paused) THEN
      RETURN array_fill('PAUSED'::text, ARRAY[cardinality(ids)]);
    END IF;
    -- Messages that must wait for their turn, and messages behind one of a paused type. The relay decides for how long.
    IF blocked OR paused <> '{}' THEN
      FOR n IN
        SELECT w.n FROM posthorn_waiting(receiver, aggregate_types, keys) AS w (n)
        UNION ALL
        SELECT b.n
          FROM (SELECT m.n,
                       bool_or(m.type = ANY (paused))
                         OVER (PARTITION BY m.aggregate_type, m.key, CASE WHEN m.key IS NULL THEN m.n END ORDER BY m.n)
                         AS paused
                  FROM unnest(types, aggregate_types, keys) WITH ORDINALITY AS m (type, aggregate_type, key, n)) b
         WHERE b.paused
      LOOP
        verdicts[n] := 'PARKED';
      END LOOP;
    END IF;
  END IF;

  slots := ARRAY (SELECT CASE WHEN d.day BETWEEN today - 30 AND today + 2 THEN d.day % 40 ELSE -1 END
                    FROM unnest(days) WITH ORDINALITY AS d (day, n)
                   ORDER BY d.n);
  -- An old id is known as long as the leaf of its day has not been emptied; an id of the future may be in the undated
  -- leaf.
  FOR one IN
    SELECT d.day, d.n
      FROM unnest(days) WITH ORDINALITY AS d (day, n)
     WHERE d.day NOT BETWEEN today - 30 AND today + 2
       AND receipts
       AND -1 = ANY (slots)
  LOOP
    EXECUTE 'SELECT slot FROM posthorn_receipt WHERE slot IN ($1, -1) AND consumer = $2 AND id = $3 AND sender = $4'
       INTO slot_now
      USING (one.day % 40)::smallint, receiver, ids[one.n], senders[one.n];
    IF slot_now IS NOT NULL THEN
      slots[one.n] := slot_now;
    ELSIF purpose <> 'HANDLE' THEN
      verdicts[one.n] := 'OUT_OF_HORIZON';
    END IF;
  END LOOP;

  -- Stored messages are handled now. The consumer keeps no receipts, so the next copy of the message is accepted again.
  IF purpose = 'HANDLE' AND NOT receipts THEN
    FOR slot_now IN
      SELECT DISTINCT s.slot FROM unnest(slots) AS s (slot) ORDER BY 1
    LOOP
      EXECUTE $stored$
        UPDATE posthorn_receipt r
           SET state = 'AGAIN'
          FROM unnest($3, $4) AS m (sender, id)
         WHERE r.slot IN ($1, -1)
           AND r.consumer = $2
           AND r.id = ANY ($4)
           AND r.id = m.id
           AND r.sender = m.sender
           AND r.state = 'STORED'
        $stored$
        USING slot_now, receiver, senders, ids;
    END LOOP;
  END IF;

  -- Nearly always all messages are new, and a plain INSERT costs little more than half of one with ON CONFLICT. Above
  -- READ COMMITTED, a failed INSERT would count as a write and make other transactions fail in vain.
  IF NOT some_known THEN
    BEGIN
      INSERT INTO posthorn_receipt AS r (slot, consumer, sender, id, state, digest, handled_at)
      SELECT CASE WHEN EXISTS (SELECT 1 FROM posthorn_receipt u WHERE u.slot = -1 AND u.consumer = receiver)
                   AND (SELECT true
                          FROM posthorn_receipt u
                         WHERE u.slot = -1
                           AND u.consumer = receiver
                           AND u.id = m.id
                           AND u.sender = m.sender)
                  THEN -1
                  ELSE m.slot
             END,
             receiver, m.sender, m.id,
             CASE m.verdict WHEN 'NEW' THEN 'HANDLED' ELSE 'STORED' END,
             m.digest,
             CASE m.verdict WHEN 'NEW' THEN clock_timestamp() END
        FROM unnest(slots, senders, ids, digests, verdicts) AS m (slot, sender, id, digest, verdict)
       WHERE (receipts OR m.verdict <> 'NEW')
         AND (purpose <> 'ONCE' OR m.verdict <> 'OUT_OF_HORIZON')
       ORDER BY m.id, m.sender;
    EXCEPTION WHEN unique_violation THEN
      some_known := true;
    END;
  END IF;

  IF some_known THEN
    WITH new AS (
      INSERT INTO posthorn_receipt AS r (slot, consumer, sender, id, state, digest, handled_at)
      SELECT CASE WHEN EXISTS (SELECT 1 FROM posthorn_receipt u WHERE u.slot = -1 AND u.consumer = receiver)
                   AND (SELECT true
                          FROM posthorn_receipt u
                         WHERE u.slot = -1
                           AND u.consumer = receiver
                           AND u.id = m.id
                           AND u.sender = m.sender)
                  THEN -1
                  ELSE m.slot
             END,
             receiver, m.sender, m.id,
             CASE m.verdict WHEN 'NEW' THEN 'HANDLED' ELSE 'STORED' END,
             m.digest,
             CASE m.verdict WHEN 'NEW' THEN clock_timestamp() END
        FROM unnest(slots, senders, ids, digests, verdicts) AS m (slot, sender, id, digest, verdict)
       WHERE (receipts OR m.verdict <> 'NEW')
         AND (purpose <> 'ONCE' OR m.verdict <> 'OUT_OF_HORIZON')
       ORDER BY m.id, m.sender
          ON CONFLICT DO NOTHING
      RETURNING r.id, r.sender
    )
    SELECT array_agg(new.id), array_agg(new.sender)
      INTO new_ids, new_senders
      FROM new;
    chosen := ARRAY (SELECT m.n
                       FROM unnest(ids, senders, verdicts) WITH ORDINALITY AS m (id, sender, verdict, n)
                      WHERE (receipts OR m.verdict <> 'NEW')
                        AND (purpose <> 'ONCE' OR m.verdict <> 'OUT_OF_HORIZON')
                        AND NOT EXISTS (SELECT 1
                                          FROM unnest(new_ids, new_senders) AS w (id, sender)
                                         WHERE w.id = m.id
                                           AND w.sender = m.sender));
    -- EXECUTE plans for this slot only: a plan for all slots would lock all leaves.
    FOR slot_now IN
      SELECT DISTINCT slots[c.n] FROM unnest(chosen) AS c (n) ORDER BY 1
    LOOP
      asked := chosen;
      FOR look IN 1 .. 2 LOOP
        EXECUTE $old$
          WITH m AS MATERIALIZED (
            SELECT m.n, m.id, m.sender, m.digest, m.verdict
              FROM unnest($3, $4, $5, $6, $7) WITH ORDINALITY AS m (slot, sender, id, digest, verdict, n)
             WHERE m.n = ANY ($8)
               AND m.slot = $1
             ORDER BY m.id, m.sender
          ), taken AS (
            UPDATE posthorn_receipt r
               SET state = CASE m.verdict WHEN 'NEW' THEN 'HANDLED' ELSE 'STORED' END,
                   handled_at = CASE m.verdict WHEN 'NEW' THEN clock_timestamp() END,
                   corrected = CASE WHEN r.digest = m.digest THEN r.corrected ELSE m.digest END,
                   again = r.again OR r.state = 'AGAIN'
              FROM m
             WHERE r.slot IN ($1, -1)
               AND r.consumer = $2
               AND r.id = ANY ($5)
               AND r.id = m.id
               AND r.sender = m.sender
               -- A message that waits here is a duplicate, even if it was handled a moment ago.
               AND (($9 AND r.state = 'STORED')
                    OR (r.state = 'AGAIN'
                        AND ($9 OR NOT EXISTS (SELECT 1
                                                 FROM posthorn_parked p
                                                WHERE p.destination = $2
                                                  AND p.message_id = r.id
                                                  AND p.sender = r.sender))))
            RETURNING m.n, r.again
          )
          SELECT array_agg(m.n),
                 array_agg(CASE WHEN taken.again AND m.verdict = 'NEW' THEN 'AGAIN'
                                WHEN taken.n IS NOT NULL THEN m.verdict
                                WHEN r.id IS NULL THEN 'GONE'
                                WHEN m.digest IN (r.digest, r.corrected) THEN 'DUPLICATE'
                                ELSE 'ID_REUSED'
                           END)
            FROM m
            LEFT JOIN taken ON taken.n = m.n
            LEFT JOIN posthorn_receipt r
              ON r.slot IN ($1, -1)
             AND r.consumer = $2
             AND r.id = ANY ($5)
             AND r.id = m.id
             AND r.sender = m.sender
          $old$
           INTO found, said
          USING slot_now, receiver, slots, senders, ids, digests, verdicts, asked, purpose = 'HANDLE';
        IF 'GONE' = ANY (said) THEN
          RAISE EXCEPTION 'the receipt of a message went away meanwhile'
            USING ERRCODE = 'serialization_failure';
        END IF;
        -- An UPDATE that had to wait for another one has read the row as it was before, and does not know which payload
        -- was accepted then. Those are read a second time.
        asked := '{}';
        FOR n IN 1 .. cardinality(found) LOOP
          IF said[n] = 'ID_REUSED' AND look = 1 THEN
            asked := asked || found[n];
          ELSE
            verdicts[found[n]] := said[n];
          END IF;
        END LOOP;
        EXIT WHEN asked = '{}';
      END LOOP;
    END LOOP;
    -- The transaction that this one waited for may have parked messages. Messages behind them must not go first.
    IF purpose = 'RECEIVE' AND receipts AND chosen <> '{}' THEN
      FOR n IN
        SELECT w.n FROM posthorn_waiting(receiver, aggregate_types, keys) AS w (n)
      LOOP
        CONTINUE WHEN verdicts[n] NOT IN ('NEW', 'AGAIN');
        verdicts[n] := 'PARKED';
        EXECUTE 'UPDATE posthorn_receipt SET state = $1, handled_at = NULL WHERE slot IN ($2, -1) AND consumer = $3 AND id = $4 AND sender = $5'
          USING 'STORED', slots[n], receiver, ids[n], senders[n];
      END LOOP;
    END IF;
  END IF;

  IF purpose IN ('RECEIVE', 'HANDLE') AND 0 < ANY (sequences) THEN
    WITH raised AS (
      INSERT INTO posthorn_handled AS h (consumer, sender, aggregate_type, key, sequence, previous, day)
      SELECT receiver, m.sender COLLATE "C", m.aggregate_type COLLATE "C", m.key COLLATE "C", max(m.sequence), 0, today
        FROM unnest(senders, aggregate_types, keys, sequences, verdicts)
               AS m (sender, aggregate_type, key, sequence, verdict)
       WHERE m.verdict = 'NEW'
         AND m.key IS NOT NULL
         AND m.sequence > 0
       GROUP BY m.key COLLATE "C", m.aggregate_type COLLATE "C", m.sender COLLATE "C"
       ORDER BY m.key COLLATE "C", m.aggregate_type COLLATE "C", m.sender COLLATE "C"
          ON CONFLICT (consumer, key, aggregate_type, sender) DO UPDATE
         SET previous = h.sequence,
             sequence = greatest(h.sequence, excluded.sequence),
             day = excluded.day
      RETURNING h.previous
    )
    SELECT count(*) < cardinality(ids)
             OR max(r.previous) > (SELECT min(m.sequence) FROM unnest(sequences) AS m (sequence) WHERE m.sequence > 0)
      INTO doubtful
      FROM raised r;
    -- Keys that occur twice, or that were handled further than the oldest message here: check each message.
    chosen := NULL;
    IF doubtful THEN
      SELECT array_agg(m.n)
        INTO chosen
        FROM (SELECT m.sender, m.aggregate_type, m.key, m.sequence, m.n,
                     max(m.sequence) OVER (PARTITION BY m.key, m.aggregate_type, m.sender
                                               ORDER BY m.n
                                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
                FROM unnest(senders, aggregate_types, keys, sequences, verdicts) WITH ORDINALITY
                       AS m (sender, aggregate_type, key, sequence, verdict, n)
               WHERE m.verdict = 'NEW'
                 AND m.key IS NOT NULL
                 AND m.sequence > 0) m
        JOIN posthorn_handled h
          ON h.consumer = receiver
         AND h.key = ANY (keys)
         AND h.key = m.key
         AND h.aggregate_type = m.aggregate_type
         AND h.sender = m.sender
       WHERE m.sequence < greatest(h.previous, m.before);
    END IF;
    IF chosen IS NOT NULL THEN
      FOREACH n IN ARRAY chosen LOOP
        verdicts[n] := CASE WHEN latest_wins THEN 'SKIPPED_STALE' ELSE 'OUT_OF_ORDER' END;
        IF latest_wins THEN
          EXECUTE 'UPDATE posthorn_receipt SET state = $1, handled_at = NULL WHERE slot IN ($2, -1) AND consumer = $3 AND id = $4 AND sender = $5'
            USING 'SKIPPED_STALE', slots[n], receiver, ids[n], senders[n];
        END IF;
      END LOOP;
    END IF;
  END IF;

  IF guarded AND verdicts && '{NEW,OUT_OF_ORDER,AGAIN}' THEN
    PERFORM set_config('posthorn.handlers', 'at work', true);
    INSERT INTO posthorn_handling DEFAULT VALUES RETURNING ctid INTO place;
    DELETE FROM posthorn_handling WHERE ctid = place;
  END IF;
  RETURN verdicts;
END
$receive$;
REVOKE ALL ON FUNCTION posthorn_receive FROM PUBLIC;

-- ---- These two functions park and bury what a receiver cannot handle. They run with the rights of the tables' owner,
-- because the receiver's role must neither read nor write there itself: it cannot read messages for others, and can add
-- messages for consumers only. Times and headers are checked by domains, as in the log: a row that cannot be read would
-- stop the consumer's relay, its figures and retention, for ever.

CREATE FUNCTION posthorn_check_consumer(receiver text) RETURNS void
  LANGUAGE plpgsql STABLE
AS $check$
DECLARE
  known text := (SELECT d.direction FROM posthorn_destination d WHERE d.name = receiver);
BEGIN
  IF known = 'OUT' THEN
    RAISE EXCEPTION 'nothing was parked for "%": it is a destination, not a consumer', receiver
      USING ERRCODE = 'insufficient_privilege';
  ELSIF known IS NULL THEN
    RAISE EXCEPTION 'nothing was parked for "%": no relay has registered that consumer yet', receiver
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
END
$check$;

-- Parks the messages whose verdict is PARKED, and returns sender and id of each one that it parked.
-- wait: null means that the message waits for its turn; then delay, in seconds, says from when on. The first message of
-- a key can go at once, and so can a message without a key.
-- because, said, trace: the reason, its text and its stack trace.
CREATE FUNCTION posthorn_park(
  receiver        text,
  verdicts        text[],
  wait            text,
  delay           double precision,
  tries           int,
  because         text,
  said            text,
  trace           text,
  senders         text[],
  ids             uuid[],
  types           text[],
  schema_versions int[],
  aggregate_types text[],
  keys            text[],
  payloads        bytea[],
  content_types   text[],
  headers         text[],
  occurred_ats    text[],
  not_befores     text[],
  sequences       bigint[]
) RETURNS text[]
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
  SET plan_cache_mode = 'force_generic_plan'
  SET enable_seqscan = off
  SET enable_bitmapscan = off
  SET jit = off
AS $park$
DECLARE
  done text[];
BEGIN
  IF NOT 'PARKED' = ANY (verdicts) THEN
    RETURN '{}';
  END IF;
  PERFORM posthorn_check_consumer(receiver);
  -- The transaction must have an id before it draws numbers, as in the log. The edges rely on it (posthorn_edge).
  PERFORM pg_current_xact_id();
  WITH parked AS (
    INSERT INTO posthorn_parked
           (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
            occurred_at, recorded_at, not_before, seq, position, sender, sequence, waiting, next_attempt_at,
            attempts, first_failed_at, last_failed_at, last_reason, last_error, last_stack)
    SELECT receiver, d.id, d.type, d.schema_version, d.aggregate_type, d.key, d.payload, d.content_type,
           d.headers::posthorn_received_headers, d.occurred_at::posthorn_time, clock_timestamp(),
           d.not_before::posthorn_time, d.seq, d.seq,
           d.sender, nullif(d.sequence, 0), d.waiting,
           CASE WHEN d.waiting <> 'BEHIND' THEN (clock_timestamp() + make_interval(secs => delay))::posthorn_time END,
           tries,
           CASE WHEN tries > 0 THEN clock_timestamp() END,
           CASE WHEN tries > 0 THEN clock_timestamp() END,
           because, said, trace
      FROM (SELECT w.*, nextval('posthorn_seq') AS seq
              FROM (SELECT m.*,
                           CASE WHEN wait IS NOT NULL THEN wait
                                WHEN m.key IS NULL THEN 'TURN'
                                WHEN row_number() OVER (PARTITION BY m.aggregate_type, m.key ORDER BY m.n) = 1
                                 AND (SELECT true
                                        FROM posthorn_parked p
                                       WHERE p.destination = receiver
                                         AND p.aggregate_type = m.aggregate_type
                                         AND p.key = m.key
                                         AND p.position >= coalesce((SELECT e.position
                                                                       FROM posthorn_key_edge e
                                                                      WHERE e.destination = receiver
                                                                        AND e.aggregate_type = m.aggregate_type
                                                                        AND e.key = m.key
                                                                      ORDER BY e.n DESC
                                                                      LIMIT 1), 0)
                                         AND p.waiting <> 'TIME'
                                       ORDER BY p.position, p.seq
                                       LIMIT 1) IS NULL THEN 'TURN'
                                ELSE 'BEHIND'
                           END AS waiting
                      FROM unnest(senders, ids, types, schema_versions, aggregate_types, keys, payloads, content_types,
                                  headers, occurred_ats, not_befores, sequences, verdicts)
                             WITH ORDINALITY
                             AS m (sender, id, type, schema_version, aggregate_type, key, payload, content_type,
                                   headers, occurred_at, not_before, sequence, verdict, n)
                     WHERE m.verdict = 'PARKED'
                     ORDER BY m.n) w) d
        ON CONFLICT (destination, message_id) DO NOTHING
    RETURNING message_id, sender
  ), tried AS (
    INSERT INTO posthorn_attempt (destination, message_id, attempt, outcome, reason, error)
    SELECT receiver, p.message_id, tries, 'FAILED', because, said
      FROM parked p
     WHERE tries > 0
        ON CONFLICT DO NOTHING
  )
  SELECT ARRAY (SELECT ARRAY[p.sender, p.message_id::text] FROM parked p)
    INTO done;
  RETURN done;
END
$park$;
REVOKE ALL ON FUNCTION posthorn_park FROM PUBLIC;

-- Makes dead letters of messages, except of copies of a dead letter that still waits for a person. Returns the number
-- of new dead letters.
CREATE FUNCTION posthorn_bury(
  receiver        text,
  because         text,
  said            text,
  trace           text,
  cause           text,
  tries           int,
  hold            boolean,
  senders         text[],
  ids             uuid[],
  types           text[],
  schema_versions int[],
  aggregate_types text[],
  keys            text[],
  payloads        bytea[],
  content_types   text[],
  headers         text[],
  occurred_ats    text[],
  not_befores     text[],
  sequences       bigint[]
) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
  SET plan_cache_mode = 'force_generic_plan'
  SET enable_seqscan = off
  SET enable_bitmapscan = off
  SET jit = off
AS $bury$
DECLARE
  done bigint;
BEGIN
  PERFORM posthorn_check_consumer(receiver);
  WITH dead AS (
    INSERT INTO posthorn_dead
           (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
            occurred_at, recorded_at, not_before, seq, position, sender, sequence, reason, last_reason, error,
            stack, fingerprint, attempts, first_failed_at, last_failed_at)
    SELECT receiver, d.id, d.type, d.schema_version, d.aggregate_type, d.key, d.payload, d.content_type,
           d.headers::posthorn_received_headers, d.occurred_at::posthorn_time, clock_timestamp(),
           d.not_before::posthorn_time, d.seq, d.seq,
           d.sender, nullif(d.sequence, 0), because, because, said,
           trace, cause, tries, clock_timestamp(), clock_timestamp()
      FROM (SELECT w.*, nextval('posthorn_seq') AS seq
              FROM (SELECT m.*
                      FROM unnest(senders, ids, types, schema_versions, aggregate_types, keys, payloads, content_types,
                                  headers, occurred_ats, not_befores, sequences)
                             WITH ORDINALITY
                             AS m (sender, id, type, schema_version, aggregate_type, key, payload, content_type,
                                   headers, occurred_at, not_before, sequence, n)
                     WHERE NOT EXISTS (SELECT 1
                                         FROM posthorn_dead x
                                        WHERE x.message_id = m.id
                                          AND x.destination = receiver
                                          AND x.sender = m.sender
                                          AND x.state = 'DEAD'
                                          AND x.reason = because
                                          AND x.payload = m.payload)
                     ORDER BY m.n) w) d
    RETURNING id, message_id, aggregate_type, key
  ), tried AS (
    INSERT INTO posthorn_attempt (destination, message_id, attempt, outcome, reason, error)
    SELECT receiver, d.message_id, tries, 'REJECTED', because, said
      FROM dead d
     WHERE tries > 0
        ON CONFLICT DO NOTHING
  ), held AS (
    INSERT INTO posthorn_held (destination, aggregate_type, key, dead_id)
    SELECT receiver, d.aggregate_type, d.key, d.id
      FROM dead d
     WHERE hold
       AND d.key IS NOT NULL
        ON CONFLICT DO NOTHING
  )
  SELECT count(*)
    INTO done
    FROM dead;
  RETURN done;
END
$bury$;
REVOKE ALL ON FUNCTION posthorn_bury FROM PUBLIC;

-- ---- Views for people. They show no payloads, headers and stack traces.
--
-- The planner overestimates the cost of posthorn_backlog_now, because it does not know where a LIMIT ends. With JIT,
-- which is on by default, compiling the query takes a hundred times as long as running it. So people query through
-- functions that turn JIT off; programs turn it off themselves and query the view.

-- The id under which a message goes to a destination now. It differs from the message's own id if the message was
-- requeued under a new one.
CREATE FUNCTION posthorn_goes_as(receiver text, message uuid) RETURNS uuid
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (
    WITH RECURSIVE goes AS (
      SELECT message AS id, 0 AS times
      UNION ALL
      SELECT newest.requeued_as, goes.times + 1
        FROM goes
       CROSS JOIN LATERAL
             (SELECT x.requeued_as
                FROM posthorn_dead x
               WHERE x.destination = receiver
                 AND x.message_id = goes.id
               ORDER BY x.created_at DESC
               LIMIT 1) newest
       WHERE newest.requeued_as <> goes.id
    )
    SELECT goes.id FROM goes ORDER BY goes.times DESC LIMIT 1
  );

-- Each known message, with each destination that wants it or has handled it. Query by id or by key: both are index
-- look-ups. goes_as: the message was requeued under this id, and the rest of the row describes that copy.
CREATE VIEW posthorn_message_state AS
  WITH message AS NOT MATERIALIZED (
    -- All parts have the same types and no domains of them. Otherwise a condition on a key is checked only after the
    -- union.
    SELECT l.id, l.seq, l.tx, l.type::text AS type,
           posthorn_key_type(l.aggregate_type, l.key) AS aggregate_type, l.key::text AS key,
           l.headers ->> 'correlation-id' AS correlation_id, l.occurred_at::timestamptz AS occurred_at, l.recorded_at
      FROM posthorn_log l
    UNION ALL
    -- Dead letters outlive the log.
    SELECT x.message_id, x.seq, NULL::xid8, x.type, x.aggregate_type, x.key, x.headers ->> 'correlation-id',
           x.occurred_at, x.recorded_at
      FROM posthorn_dead x
     WHERE NOT EXISTS (SELECT 1 FROM posthorn_log l WHERE l.id = x.message_id)
       AND NOT EXISTS (SELECT 1
                         FROM posthorn_dead y
                        WHERE y.message_id = x.message_id
                          AND (y.created_at, y.id) > (x.created_at, x.id))
    UNION ALL
    -- So do parked messages. A message with a new id was never in the log.
    SELECT p.message_id, p.seq, NULL::xid8, p.type, p.aggregate_type, p.key, p.headers ->> 'correlation-id',
           p.occurred_at, p.recorded_at
      FROM posthorn_destination d
      JOIN posthorn_parked p ON p.destination = d.name
     WHERE NOT EXISTS (SELECT 1 FROM posthorn_log l WHERE l.id = p.message_id)
       AND NOT EXISTS (SELECT 1 FROM posthorn_dead x WHERE x.message_id = p.message_id)
       AND NOT EXISTS (SELECT 1
                         FROM posthorn_destination e
                         JOIN posthorn_parked o ON o.destination = e.name AND o.message_id = p.message_id
                        WHERE e.name < d.name)
    UNION ALL
    -- Sent under a new id: only the dead letter knows.
    SELECT x.requeued_as, x.seq, NULL::xid8, x.type, x.aggregate_type, x.key, x.headers ->> 'correlation-id',
           x.occurred_at, x.recorded_at
      FROM posthorn_dead x
     WHERE x.requeued_as <> x.message_id
       AND NOT EXISTS (SELECT 1 FROM posthorn_dead y WHERE y.message_id = x.requeued_as)
       AND NOT EXISTS (SELECT 1
                         FROM posthorn_parked p
                        WHERE p.destination = x.destination
                          AND p.message_id = x.requeued_as)
  )
  SELECT m.id, m.seq, m.type, m.aggregate_type, m.key, m.correlation_id, m.occurred_at, m.recorded_at,
         d.name AS destination,
         CASE WHEN p.waiting = 'ANSWER' AND r.id IS NOT NULL THEN 'IN_FLIGHT'
              WHEN p.attempts > p.attempts_before THEN 'FAILED'
              WHEN p.message_id IS NOT NULL THEN 'PENDING'
              WHEN x.state IN ('DEAD', 'DISCARDED') THEN x.state
              WHEN x.state IS NOT NULL OR m.tx IS NULL THEN 'SENT'
              WHEN posthorn_settled(m.tx, m.seq, c.s1, c.s2, c.last_seq, c.ahead) THEN 'SENT'
              WHEN pg_visible_in_snapshot(m.tx, c.s2) AND r.id IS NOT NULL THEN 'IN_FLIGHT'
              ELSE 'PENDING'
         END AS state,
         coalesce(p.attempts, x.attempts, 0) AS attempts,
         p.next_attempt_at,
         r.expires_at AS locked_until,
         p.waiting,
         -- An error from before its rescue does not describe a message that was sent.
         CASE WHEN p.message_id IS NOT NULL OR x.state IN ('DEAD', 'DISCARDED') THEN coalesce(p.last_error, x.error)
         END AS last_error,
         CASE WHEN x.state = 'DEAD' THEN x.reason END AS dead_reason,
         nullif(goes.id, m.id) AS goes_as
    FROM message m
   CROSS JOIN LATERAL
         (SELECT e.name
            FROM posthorn_destination e
          UNION ALL
          -- The dead letters of a removed destination stay.
          SELECT DISTINCT y.destination
            FROM posthorn_dead y
           WHERE y.message_id = m.id
             AND NOT EXISTS (SELECT 1 FROM posthorn_destination e WHERE e.name = y.destination)) d
   CROSS JOIN LATERAL
         (SELECT CASE WHEN EXISTS (SELECT 1
                                     FROM posthorn_dead y
                                    WHERE y.destination = d.name
                                      AND y.message_id = m.id
                                      AND y.requeued_as <> m.id)
                      THEN posthorn_goes_as(d.name, m.id)
                      ELSE m.id
                 END AS id
          OFFSET 0) goes
    LEFT JOIN posthorn_parked p ON p.destination = d.name AND p.message_id = goes.id
    LEFT JOIN LATERAL
         (SELECT y.state, y.attempts, y.reason, y.error
            FROM posthorn_dead y
           WHERE y.destination = d.name
             AND y.message_id = goes.id
           ORDER BY y.created_at DESC
           LIMIT 1) x ON true
    -- A copy under a new id may belong to another lane. If the message is parked, its cursor does not matter.
    LEFT JOIN posthorn_lane n
      ON n.destination = d.name
     AND coalesce(p.bucket, posthorn_bucket(m.aggregate_type, m.key, m.id)) BETWEEN n.first_bucket AND n.last_bucket
    LEFT JOIN posthorn_relay r ON r.id = n.relay AND r.expires_at > clock_timestamp()
    LEFT JOIN LATERAL
         (SELECT y.s1, y.s2, y.last_seq, y.ahead
            FROM posthorn_progress y
           WHERE y.destination = d.name
             -- The progress of a removed destination stays, its lanes do not.
             AND y.lane = coalesce(n.lane, (SELECT min(q.lane) FROM posthorn_progress q WHERE q.destination = d.name))
           ORDER BY y.n DESC
           LIMIT 1) c ON true
    LEFT JOIN LATERAL
         (SELECT y.attempt
            FROM posthorn_attempt y
           WHERE y.message_id = m.id
             AND y.destination = d.name
           LIMIT 1) a ON true
   WHERE p.message_id IS NOT NULL
      OR x.state IS NOT NULL
      OR goes.id <> m.id
      OR EXISTS (SELECT 1
                   FROM posthorn_route t
                  WHERE t.destination = d.name
                    AND t.type IN (m.type, '*')
                    AND m.tx IS NOT NULL
                    AND posthorn_covers(t.since_seq, t.since, t.since_time, m.seq, m.tx, m.recorded_at))
      OR a.attempt IS NOT NULL;

-- How many messages of the log each destination has not settled. The view reads up to 10,000 messages for each
-- destination; beyond that it estimates, and estimated is true. If the backlog must be far larger and the destination
-- wants a tenth of the first messages, 1,000 are enough for the estimate.
-- oldest_at: when the oldest unsettled message could have been sent. Messages scheduled for later do not count. If
-- at_most is true, none of the messages read is for the destination, and the oldest may be younger.
CREATE VIEW posthorn_backlog_now AS
  SELECT d.name AS destination,
         late.pending + near.pending
           + CASE WHEN near.looked_at < first.most THEN 0
                  ELSE (greatest(0, s.last_value - near.last_seq) * near.pending / near.looked_at)::bigint
             END AS pending,
         near.looked_at >= first.most OR late.looked_at >= 10000 AS estimated,
         least(late.oldest, near.oldest, near.bound) AS oldest_at,
         coalesce(near.bound < least(late.oldest, near.oldest), near.bound IS NOT NULL) AS at_most
    FROM posthorn_destination d
   CROSS JOIN posthorn_seq s
   CROSS JOIN LATERAL posthorn_places(d.name) c
   -- Routes as old as the cursor need not be checked for each message.
   CROSS JOIN LATERAL
         (SELECT array_agg(t.type) FILTER (WHERE t.since_seq <= c.floor) AS types,
                 min(t.since_seq) FILTER (WHERE t.type = '*') AS all_since,
                 coalesce(bool_or(t.since_seq > c.floor), false) AS some_younger
            FROM posthorn_route t
           WHERE t.destination = d.name) wants
   -- Far behind, and a tenth of the first messages wanted: 1,000 messages give as good an estimate as 10,000.
   CROSS JOIN LATERAL
         (SELECT CASE WHEN count(*) FILTER (WHERE l.seq > wants.all_since OR l.type = ANY (wants.types)) >= 20
                      THEN 1000
                      ELSE 10000
                 END AS most
            FROM (SELECT l.seq, l.type
                    FROM posthorn_log l
                   WHERE l.seq > c.floor
                     AND s.last_value - c.floor > 100000
                   ORDER BY l.seq
                   LIMIT 200) l) first
   CROSS JOIN LATERAL
         (SELECT count(*) AS looked_at,
                 max(l.seq) AS last_seq,
                 count(*) FILTER (WHERE l.waits) AS pending,
                 min(l.due) FILTER (WHERE l.waits AND l.due <= statement_timestamp()) AS oldest,
                 CASE WHEN count(*) >= first.most THEN max(l.recorded_at) END AS bound
            FROM (SELECT l.seq, l.recorded_at, greatest(l.recorded_at, l.not_before) AS due,
                         NOT posthorn_settled(
                               l.tx, l.seq,
                               c.s1s[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                               c.s2s[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                               c.lasts[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                               c.ahead)
                           AND (l.seq > wants.all_since
                                OR l.type = ANY (wants.types)
                                OR (wants.some_younger
                                    AND EXISTS (SELECT 1
                                                  FROM posthorn_route t
                                                 WHERE t.destination = d.name
                                                   AND t.type IN (l.type, '*')
                                                   AND posthorn_covers(t.since_seq, t.since, t.since_time,
                                                                       l.seq, l.tx, l.recorded_at)))) AS waits
                    FROM posthorn_log l
                   WHERE l.seq > c.floor
                   ORDER BY l.seq
                   LIMIT first.most) l) near
   -- Messages of transactions that were open when the cursor passed their seqs. One transaction after the other, and by
   -- pairs: a plain join may become a hash join, and equality of tx a walk by seq; both read the whole log.
   CROSS JOIN LATERAL
         (SELECT count(*) AS looked_at,
                 count(*) FILTER (WHERE l.waits) AS pending,
                 min(l.due) FILTER (WHERE l.waits AND l.due <= statement_timestamp()) AS oldest
            FROM (SELECT greatest(l.recorded_at, l.not_before) AS due,
                         NOT posthorn_settled(
                               l.tx, l.seq,
                               c.s1s[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                               c.s2s[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                               c.lasts[posthorn_place(c.firsts, l.aggregate_type, l.key, l.id)],
                               c.ahead)
                           AND EXISTS (SELECT 1
                                         FROM posthorn_route t
                                        WHERE t.destination = d.name
                                          AND t.type IN (l.type, '*')
                                          AND posthorn_covers(t.since_seq, t.since, t.since_time,
                                                              l.seq, l.tx, l.recorded_at)) AS waits
                    FROM unnest(c.running) AS open (tx)
                   CROSS JOIN LATERAL
                         (SELECT w.tx, w.seq, w.id, w.type, w.aggregate_type, w.key, w.recorded_at, w.not_before
                            FROM posthorn_log w
                           WHERE (w.tx, w.seq) > (open.tx, 0)
                             AND (w.tx, w.seq) <= (open.tx, c.floor)
                           ORDER BY w.tx, w.seq
                           LIMIT 10000) l
                   LIMIT 10000) l) late;

CREATE FUNCTION posthorn_backlog_rows() RETURNS SETOF posthorn_backlog_now
  LANGUAGE sql STABLE ROWS 20
  SET jit = off
AS $rows$
  SELECT g.destination, g.pending, g.estimated, g.oldest_at, g.at_most FROM posthorn_backlog_now g
$rows$;

CREATE VIEW posthorn_backlog AS
  SELECT g.destination, g.pending, g.estimated, g.oldest_at, g.at_most FROM posthorn_backlog_rows() g;

-- The status of each destination. Parked messages, held keys and dead letters are counted up to 10,000.
CREATE VIEW posthorn_destination_status_now AS
  SELECT d.name AS destination, p.paused_at, p.who AS paused_by, p.why AS pause_reason, d.rate_per_second,
         d.rewinding AS rewound_by,
         (SELECT string_agg(DISTINCT r.name, ', ')
            FROM posthorn_lane n
            JOIN posthorn_relay r ON r.id = n.relay AND r.expires_at > clock_timestamp()
           WHERE n.destination = d.name) AS relay,
         b.reason || coalesce(': ' || nullif(b.error, ''), '') AS breaker,
         g.pending, g.estimated, g.oldest_at,
         (SELECT count(*)
            FROM (SELECT 1
                    FROM ((SELECT 1
                             FROM posthorn_parked c
                            WHERE c.destination = d.name
                              AND c.position >= coalesce(e.position, 0)
                              AND c.waiting <> 'TIME'
                            ORDER BY c.position
                            LIMIT 10000)
                          UNION ALL
                          (SELECT 1
                             FROM posthorn_parked c
                            WHERE c.destination = d.name
                              AND c.next_attempt_at >= coalesce(e.due, '-infinity')
                              AND c.waiting = 'TIME'
                            ORDER BY c.next_attempt_at
                            LIMIT 10000)) c
                   LIMIT 10000) counted)
           AS parked,
         (SELECT count(*)
            FROM (SELECT 1 FROM posthorn_held c WHERE c.destination = d.name AND NOT c.paused LIMIT 10000) counted)
           AS held_keys,
         (SELECT count(*)
            FROM (SELECT 1 FROM posthorn_dead c WHERE c.destination = d.name AND c.state = 'DEAD' LIMIT 10000) counted)
           AS dead
    FROM posthorn_destination d
    LEFT JOIN LATERAL
         (SELECT q.paused_at, q.who, q.why
            FROM posthorn_pause q
           WHERE q.destination IN (d.name, '*')
             AND q.type = '*'
           ORDER BY q.destination DESC
           LIMIT 1) p ON d.name <> 'unrouted'
    LEFT JOIN LATERAL posthorn_edges(d.name) e ON true
    LEFT JOIN posthorn_backlog_now g ON g.destination = d.name
    LEFT JOIN LATERAL
         (SELECT x.reason, x.error
            FROM posthorn_breaker x
           WHERE x.destination = d.name
           ORDER BY x.opened_at
           LIMIT 1) b ON true;

CREATE FUNCTION posthorn_destination_status_rows() RETURNS SETOF posthorn_destination_status_now
  LANGUAGE sql STABLE ROWS 20
  SET jit = off
AS $rows$
  SELECT g.destination, g.paused_at, g.paused_by, g.pause_reason, g.rate_per_second, g.rewound_by, g.relay,
         g.breaker, g.pending, g.estimated, g.oldest_at, g.parked, g.held_keys, g.dead
    FROM posthorn_destination_status_now g
$rows$;

CREATE VIEW posthorn_destination_status AS
  SELECT g.destination, g.paused_at, g.paused_by, g.pause_reason, g.rate_per_second, g.rewound_by, g.relay,
         g.breaker, g.pending, g.estimated, g.oldest_at, g.parked, g.held_keys, g.dead
    FROM posthorn_destination_status_rows() g;

CREATE VIEW posthorn_dead_letter AS
  SELECT x.id, x.destination, x.message_id, x.type, x.aggregate_type, x.key,
         x.headers ->> 'correlation-id' AS correlation_id, x.state, x.reason, x.last_reason, x.error, x.fingerprint,
         x.attempts, x.first_failed_at, x.last_failed_at, x.created_at, x.previous, x.requeued_at, x.requeued_as,
         x.outcome, x.outcome_at, octet_length(x.payload) AS payload_bytes
    FROM posthorn_dead x;

INSERT INTO posthorn_migration (version, name) VALUES (1, 'outbox');
