package e2e

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// shopTables makes two tables and two views, one over the other.
const shopTables = `
create table customers (customer_id bigint primary key, email text not null, city text);
comment on table customers is 'Everybody who has bought something.';
create table orders (order_id bigint primary key, customer_id bigint references customers, amount numeric(12,2), status text);
insert into customers select i, 'a' || i || '@example.com', 'Bern' from generate_series(1, 100) i;
insert into orders select i, 1 + i % 100, i, 'paid' from generate_series(1, 500) i;
create view revenue as select c.city, sum(o.amount) as total from orders o join customers c using (customer_id) where o.status = 'paid' group by c.city;
create view big_cities as select city, total from revenue where total > 100;
analyze`

// shopDatabase makes a database on PostgreSQL and returns where it is: host:port/name.
func shopDatabase(t *testing.T, name string) string {
	t.Helper()
	server := testservers.Postgres(t)
	for _, step := range []struct{ database, sql string }{{"postgres", "create database " + name}, {name, shopTables}} {
		connection, err := pgx.Connect(t.Context(), "postgres://postgres@"+server+"/"+step.database)
		if err != nil {
			t.Fatal(err)
		}
		_, err = connection.Exec(t.Context(), step.sql)
		if err := connection.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return server + "/" + name
}
