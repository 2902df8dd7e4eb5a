CREATE TABLE IF NOT EXISTS cafe_order (
  id         uuid        PRIMARY KEY,
  drink      text        NOT NULL,
  cups       integer     NOT NULL,
  email      text        NOT NULL,
  cents      integer     NOT NULL,
  status     text        NOT NULL CHECK (status IN ('PLACED', 'RESERVED', 'PAID', 'CANCELLED')),
  placed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS cafe_order_placed_at ON cafe_order (placed_at);
