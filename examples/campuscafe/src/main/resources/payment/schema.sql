CREATE TABLE IF NOT EXISTS charge (
  order_id uuid        NOT NULL,
  cents    integer     NOT NULL,
  at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS charge_order ON charge (order_id);
