-- Posthorn's tables for PostgreSQL 15 and newer.
--
-- The log is a ring of leaves, one for each day modulo 16, all made here: no DDL at run time, and no missing
-- partition can fail a business transaction. Rows of the log are never updated; a whole leaf is emptied at once.

CREATE TABLE posthorn_migration (
  version    int         PRIMARY KEY,
  name       text        NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row. A copy of this database (a staging clone, a restored backup) must not send again what the original
-- sends, so a relay refuses to work unless both names agree with its own. Retention and registration exclude
-- each other by locking it.
CREATE TABLE posthorn_meta (
  only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  environment       text,
  system_identifier bigint
);
INSERT INTO posthorn_meta DEFAULT VALUES;

-- CACHE 1: a larger cache hands out numbers that become used in another order than they were drawn.
CREATE SEQUENCE posthorn_seq CACHE 1;

-- The day of the ring. UTC, whatever the session's time zone is.
CREATE FUNCTION posthorn_slot(at timestamptz) RETURNS smallint
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (floor(date_part('epoch', at) / 86400)::bigint % 16)::smallint;

-- Which of 256 buckets a key belongs to, so that every language agrees. Computed where it is asked for.
CREATE FUNCTION posthorn_bucket(aggregate_type text, key text, id uuid) RETURNS smallint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (hashtextextended(coalesce(aggregate_type || '/' || key, id::text) COLLATE "C", 0) & 255)::smallint;

-- Limits are domains: a CHECK of the table is parsed again by every INSERT, that of a domain once in a session.
CREATE DOMAIN posthorn_name AS text CHECK (length(VALUE) <= 200);
CREATE DOMAIN posthorn_key AS text CHECK (length(VALUE) <= 255);
CREATE DOMAIN posthorn_headers AS jsonb CHECK (jsonb_typeof(VALUE) = 'object');
CREATE DOMAIN posthorn_time AS timestamptz CHECK (isfinite(VALUE));

-- tx stands before seq: defaults are evaluated in this order, so a row's seq is drawn after its transaction has
-- an id. The cursor relies on it: no transaction that begins after a snapshot has a seq from before it.
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
  payload        bytea            NOT NULL,
  content_type   posthorn_name    NOT NULL DEFAULT 'application/json',
  headers        posthorn_headers NOT NULL DEFAULT '{}',
  cipher_key     text,
  occurred_at    posthorn_time    NOT NULL DEFAULT clock_timestamp(),
  not_before     posthorn_time,
  CHECK ((aggregate_type IS NULL) = (key IS NULL))
) PARTITION BY LIST (slot);
CREATE INDEX ON posthorn_log (seq);
CREATE INDEX ON posthorn_log (tx, seq);
CREATE INDEX ON posthorn_log (id);
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

-- Ids that callers gave to messages. Kept at least as long as the log.
CREATE TABLE posthorn_given_id (
  id          uuid        PRIMARY KEY,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON posthorn_given_id (recorded_at);

-- Ids that callers gave to whole transactions, to find out whether one was committed. Kept as long.
CREATE TABLE posthorn_noted_id (
  id          uuid        PRIMARY KEY,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ON posthorn_noted_id (recorded_at);

-- waits_for_unrouted: it got a new route, and messages that the route now wants are still with the unrouted.
-- Nothing is read from the log for it until they are handed over, because they stand before.
CREATE TABLE posthorn_destination (
  name            text        PRIMARY KEY,
  direction       text        NOT NULL DEFAULT 'OUT' CHECK (direction IN ('OUT', 'IN')),
  consumer        text,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  routes_id       uuid        NOT NULL DEFAULT gen_random_uuid(),
  waits_for_unrouted boolean NOT NULL DEFAULT false,
  paused_at       timestamptz,
  paused_by       text,
  pause_reason    text,
  rate_per_second double precision
);

-- since: a route covers only what this snapshot does not see. since_seq: everything above it is covered for sure.
CREATE TABLE posthorn_route (
  application text        NOT NULL,
  destination text        NOT NULL REFERENCES posthorn_destination,
  type        text        NOT NULL,
  since       pg_snapshot NOT NULL,
  since_seq   bigint      NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (destination, type, application)
);

-- One row for each run of a relay; its lease is its heartbeat.
CREATE TABLE posthorn_relay (
  id          uuid        PRIMARY KEY,
  name        text        NOT NULL,
  application text        NOT NULL,
  started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at  timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE posthorn_relay_serves (
  relay       uuid   NOT NULL REFERENCES posthorn_relay ON DELETE CASCADE,
  destination text   NOT NULL,
  types       text[] NOT NULL,
  PRIMARY KEY (relay, destination)
);

-- Changes only when a lane is taken or given back.
CREATE TABLE posthorn_lane (
  destination  text     NOT NULL REFERENCES posthorn_destination,
  lane         int      NOT NULL,
  first_bucket smallint NOT NULL DEFAULT 0,
  last_bucket  smallint NOT NULL DEFAULT 255,
  relay        uuid,
  token        uuid,
  granted_at   timestamptz,
  PRIMARY KEY (destination, lane)
) WITH (fillfactor = 50);

CREATE SEQUENCE posthorn_progress_n CACHE 1;

-- How far each lane has come; append-only, the newest row (by n) counts. Everything s1 sees is settled. If s2 is
-- set, the window (s1, s2] is open, and settled up to last_seq and for the seqs in ahead.
-- low1, low2: every transaction that s1, s2 neither sees nor names as running has only higher seqs.
-- high2: everything s2 sees has a lower seq, or this one.
CREATE TABLE posthorn_progress (
  slot        smallint    NOT NULL DEFAULT posthorn_slot(clock_timestamp()),
  destination text        NOT NULL,
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
  ahead       bigint[]    NOT NULL DEFAULT '{}'
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

-- Messages outside the log. Whether one may go is computed: no older one of its key stands before it.
-- next_attempt_at is null while it waits for its turn. dead_letter: the one it was requeued from; its attempts before
-- that do not count, and with "once" it gets a single one.
CREATE TABLE posthorn_parked (
  destination      text        NOT NULL,
  message_id       uuid        NOT NULL,
  type             text        NOT NULL,
  schema_version   int         NOT NULL,
  aggregate_type   text,
  key              text,
  payload          bytea       NOT NULL,
  content_type     text        NOT NULL,
  headers          jsonb       NOT NULL,
  cipher_key       text,
  occurred_at      timestamptz NOT NULL,
  recorded_at      timestamptz NOT NULL,
  not_before       timestamptz,
  seq              bigint      NOT NULL,
  position         bigint      NOT NULL,
  direction        text        NOT NULL DEFAULT 'OUT' CHECK (direction IN ('OUT', 'IN')),
  consumer         text,
  waiting          text        NOT NULL CHECK (waiting IN ('RETRY', 'TURN', 'TIME', 'CODE', 'ROUTE', 'ANSWER')),
  parked_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  next_attempt_at  timestamptz,
  attempts         int         NOT NULL DEFAULT 0,
  first_failed_at  timestamptz,
  last_failed_at   timestamptz,
  last_reason      text,
  last_error       text,
  last_stack       text,
  given_to         text[]      NOT NULL DEFAULT '{}',
  dead_letter      uuid,
  attempts_before  int         NOT NULL DEFAULT 0,
  once             boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (destination, message_id)
) WITH (fillfactor = 80);
-- Scheduled messages have no place in the order yet, and may be many: they have an index of their own.
CREATE INDEX ON posthorn_parked (destination, aggregate_type, key, position, seq) WHERE waiting <> 'TIME';
CREATE INDEX ON posthorn_parked (destination, next_attempt_at) WHERE waiting <> 'TIME' AND next_attempt_at IS NOT NULL;
CREATE INDEX ON posthorn_parked (destination, next_attempt_at) WHERE waiting = 'TIME';

-- Keys whose rest waits for a person after one of theirs died.
CREATE TABLE posthorn_held (
  destination    text        NOT NULL,
  aggregate_type text        NOT NULL,
  key            text        NOT NULL,
  dead_id        uuid        NOT NULL,
  held_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (destination, aggregate_type, key)
);

-- Every attempt but the first successful one of a message in the log, which the progress tells. Append-only.
CREATE TABLE posthorn_attempt (
  destination text        NOT NULL,
  message_id  uuid        NOT NULL,
  attempt     int         NOT NULL,
  at          timestamptz NOT NULL DEFAULT clock_timestamp(),
  outcome     text        NOT NULL CHECK (outcome IN ('SENT', 'FAILED', 'REJECTED')),
  reason      text,
  error       text,
  PRIMARY KEY (message_id, destination, attempt)
);
CREATE INDEX ON posthorn_attempt (at);

-- A letter stays after its rescue: outcome tells what came of it, previous which letter the message left before.
-- restored_at: when it came back from an archive; its time begins anew then.
CREATE TABLE posthorn_dead (
  id               uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  destination      text        NOT NULL,
  message_id       uuid        NOT NULL,
  type             text        NOT NULL,
  schema_version   int         NOT NULL,
  aggregate_type   text,
  key              text,
  payload          bytea       NOT NULL,
  content_type     text        NOT NULL,
  headers          jsonb       NOT NULL,
  cipher_key       text,
  occurred_at      timestamptz NOT NULL,
  recorded_at      timestamptz NOT NULL,
  not_before       timestamptz,
  seq              bigint      NOT NULL,
  position         bigint      NOT NULL,
  direction        text        NOT NULL DEFAULT 'OUT' CHECK (direction IN ('OUT', 'IN')),
  consumer         text,
  state            text        NOT NULL DEFAULT 'DEAD' CHECK (state IN ('DEAD', 'REQUEUED', 'SENT', 'DISCARDED')),
  reason           text        NOT NULL,
  last_reason      text        NOT NULL,
  error            text        NOT NULL,
  stack            text,
  fingerprint      text        NOT NULL,
  attempts         int         NOT NULL,
  first_failed_at  timestamptz NOT NULL,
  last_failed_at   timestamptz NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  previous         uuid,
  requeued_at      timestamptz,
  requeued_as      uuid,
  outcome          text        CHECK (outcome IN ('SENT', 'DEAD')),
  outcome_at       timestamptz,
  restored_at      timestamptz
);
CREATE INDEX ON posthorn_dead (state, created_at, id);
CREATE INDEX ON posthorn_dead (fingerprint, created_at);
CREATE INDEX ON posthorn_dead (message_id);
CREATE INDEX ON posthorn_dead (aggregate_type, key);

-- What was removed, if the archive is these tables; or was taken back from files to be looked at. No delivery reads them.
CREATE TABLE posthorn_archive (
  id             uuid        NOT NULL,
  seq            bigint      NOT NULL,
  recorded_at    timestamptz NOT NULL,
  type           text        NOT NULL,
  schema_version int         NOT NULL,
  aggregate_type text,
  key            text,
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

-- How far each archive has come with each leaf of the log: it has everything that s1 sees. If s2 is set, it is being
-- given what s2 sees too, in the order of (tx, seq), and has come as far as last_tx and last_seq. The row with leaf ''
-- says that the archive is in use: whoever has none removes nothing.
CREATE TABLE posthorn_archived (
  archive    text        NOT NULL,
  leaf       text        NOT NULL,
  s1         pg_snapshot NOT NULL,
  s2         pg_snapshot,
  last_tx    xid8        NOT NULL DEFAULT '0',
  last_seq   bigint      NOT NULL DEFAULT 0,
  messages   bigint      NOT NULL DEFAULT 0,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (archive, leaf)
);

-- What people did, and why. Each row has a hash over itself and the row before, so that a change shows.
CREATE TABLE posthorn_audit (
  n      bigint      PRIMARY KEY,
  at     timestamptz NOT NULL,
  who    text        NOT NULL,
  action text        NOT NULL,
  target text        NOT NULL,
  why    text        NOT NULL,
  before text,
  after  text,
  hash   text        NOT NULL
);

-- What a relay's breaker says, for people to see.
CREATE TABLE posthorn_breaker (
  destination text        PRIMARY KEY,
  relay       text        NOT NULL,
  opened_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  reason      text        NOT NULL,
  error       text        NOT NULL
);

-- The built-in destination that watches over messages no route wants. It starts with the log itself.
INSERT INTO posthorn_destination (name) VALUES ('unrouted');
INSERT INTO posthorn_lane (destination, lane) VALUES ('unrouted', 0);
INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
VALUES ('unrouted', 0, gen_random_uuid(), pg_current_snapshot(), 0, 0);

-- A version 7 UUID: 48 bits of time, the rest random (RFC 9562). PostgreSQL has its own from 18 on.
CREATE FUNCTION posthorn_uuid() RETURNS uuid
  LANGUAGE sql VOLATILE PARALLEL SAFE
  RETURN encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
              PLACING substring(int8send(floor(date_part('epoch', clock_timestamp()) * 1000)::bigint) FROM 3)
              FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid;

-- Adds a message from any language, in the running transaction; returns its id. With "ordered", the key stays
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
  ordered        boolean     DEFAULT false
) RETURNS uuid
  LANGUAGE plpgsql VOLATILE
AS $add$
#variable_conflict use_variable
DECLARE
  new_id uuid := coalesce(id, posthorn_uuid());
BEGIN
  IF type !~ '^[A-Za-z][A-Za-z0-9._/-]{0,199}$' THEN
    RAISE EXCEPTION 'POSTHORN-002: type "%" was not accepted: a type is a logical name of at most 200 letters, digits, ".", "_", "/" or "-", starting with a letter', left(type, 60)
      USING ERRCODE = 'check_violation';
  END IF;
  IF ordered AND key IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(1349350516, hashtext((aggregate_type || '/' || key) COLLATE "C"));
  END IF;
  IF id IS NOT NULL THEN
    INSERT INTO posthorn_given_id (id) VALUES (id) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'POSTHORN-006: message "%" (%) was not added: a message with this id was added before', type, id
        USING ERRCODE = 'unique_violation';
    END IF;
  END IF;
  INSERT INTO posthorn_log (id, type, schema_version, aggregate_type, key, payload, content_type, headers, occurred_at, not_before)
  VALUES (new_id, type, schema_version, aggregate_type, key,
          payload, content_type, headers,
          coalesce(occurred_at, clock_timestamp()), not_before);
  RETURN new_id;
END
$add$;

INSERT INTO posthorn_migration (version, name) VALUES (1, 'outbox');
