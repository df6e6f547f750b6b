-- A small shop, to try the first steps with.
CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY,
  email TEXT NOT NULL,
  joined_on DATE
);

CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
  ordered_on DATE,
  amount REAL NOT NULL
);

CREATE VIEW revenue_by_customer AS
SELECT c.email, sum(o.amount) AS revenue
FROM orders o JOIN customers c ON c.customer_id = o.customer_id
GROUP BY c.email;

INSERT INTO customers VALUES (1, 'ada@example.com', '2026-09-01'), (2, 'bob@example.com', '2026-10-15');
INSERT INTO orders VALUES (1, 1, '2026-09-02', 19.5), (2, 1, '2026-10-01', 8.0), (3, 2, '2026-10-16', 42.0);
