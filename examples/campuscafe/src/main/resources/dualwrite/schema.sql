CREATE TABLE IF NOT EXISTS cafe_order (
  id         uuid        PRIMARY KEY,
  request    uuid        NOT NULL,
  drink      text        NOT NULL,
  cups       integer     NOT NULL,
  email      text        NOT NULL,
  cents      integer     NOT NULL,
  status     text        NOT NULL CHECK (status IN ('PLACED', 'RESERVED', 'PAID', 'CANCELLED')),
  placed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS cafe_order_placed_at ON cafe_order (placed_at);
CREATE TABLE IF NOT EXISTS drink (
  name text    PRIMARY KEY,
  cups integer NOT NULL CHECK (cups >= 0)
);
CREATE TABLE IF NOT EXISTS reservation (
  order_id uuid        NOT NULL,
  drink    text        NOT NULL,
  cups     integer     NOT NULL,
  released boolean     NOT NULL DEFAULT false,
  at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS reservation_order ON reservation (order_id);
INSERT INTO drink (name, cups)
VALUES ('espresso', 1000000), ('latte', 1000000), ('flat white', 1000000), ('matcha', 20)
ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS charge (
  order_id uuid        NOT NULL,
  cents    integer     NOT NULL,
  at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS charge_order ON charge (order_id);
CREATE TABLE IF NOT EXISTS notification (
  order_id uuid        NOT NULL,
  text     text        NOT NULL,
  at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS notification_order ON notification (order_id);
