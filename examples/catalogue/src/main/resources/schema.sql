CREATE TABLE IF NOT EXISTS product (
  id      text          PRIMARY KEY,
  name    text          NOT NULL,
  price   numeric(10,2),
  version integer       NOT NULL
);

-- What the baskets know of prices; filled by messages only.
CREATE TABLE IF NOT EXISTS basket_price (
  product text          PRIMARY KEY,
  name    text          NOT NULL,
  price   numeric(10,2) NOT NULL
);

CREATE TABLE IF NOT EXISTS basket_line (
  basket    text          NOT NULL,
  product   text          NOT NULL,
  name      text          NOT NULL,
  price     numeric(10,2) NOT NULL,
  old_price numeric(10,2),
  PRIMARY KEY (basket, product)
);

CREATE TABLE IF NOT EXISTS shop_order (
  id         uuid          PRIMARY KEY,
  basket     text          NOT NULL,
  total      numeric(10,2) NOT NULL,
  started_at timestamptz   NOT NULL DEFAULT clock_timestamp()
);
