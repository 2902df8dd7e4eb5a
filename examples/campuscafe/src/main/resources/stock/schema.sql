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
