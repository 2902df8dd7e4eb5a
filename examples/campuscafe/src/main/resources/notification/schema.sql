CREATE TABLE IF NOT EXISTS notification (
  order_id uuid        NOT NULL,
  text     text        NOT NULL,
  at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS notification_order ON notification (order_id);
