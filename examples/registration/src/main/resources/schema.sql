CREATE TABLE IF NOT EXISTS app_user (
  id            uuid        PRIMARY KEY,
  name          text        NOT NULL,
  email         text        NOT NULL UNIQUE,
  registered_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
