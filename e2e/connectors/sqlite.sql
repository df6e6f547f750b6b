-- What TestConnectors reads from SQLite.
create table customers (id integer primary key autoincrement, name varchar(100) not null, email text unique, score numeric(8,2), born date, seen datetime default current_timestamp, note, active boolean, big bigint, f float, r real, d double, dp double precision, b blob, ch char(3), nc nchar(5), nv nvarchar(10), ts timestamp, ti time, dec decimal(10,3), ii int, ui unsigned big int, js json, weird mytype(3), clob clob, t2 tinyint, mi mediumint, i8 int8, sm smallint, un unknown);
create table orders (id integer primary key, customer_id integer not null, total numeric(10,2), placed date, constraint fk2 foreign key (customer_id) references customers(id));
create table pair (a int, b int, c text, primary key (b, a));
create table kid (x int, y int, constraint k1 foreign key (x,y) references pair(b,a), constraint k2 foreign key (x) references customers(id));
create table "Odd Table" ("Col A" int primary key, "x.y" text, "q""q" text) without rowid;
create table nopk (a, b text not null default 'x');
create table gen (a int, b int generated always as (a*2) stored, c int as (a+1));
create virtual table fts using fts5(body);
create view big as select o.id, c.name, o.total*1.1 as gross from orders o join customers c on c.id=o.customer_id where o.total > 10;
create view agg as select name, sum(gross) as total from big group by name;
create view "Odd View"(one) as select "Col A" from "Odd Table";
create view consts as select 1 as one, 'x' as two;
create trigger tr after insert on orders begin update customers set score = 1; end;
with recursive n(i) as (select 1 union all select i+1 from n where i<50) insert into customers(id,name,email,score,born,active,big,f,r,note,b,seen,ts,js) select i,'n'||i,'e'||i,(i%7)*1.5,date('2020-01-01','+'||i||' days'),i%2,i*1000000000000,i/3.0,1.5,case when i%3=0 then null else 'note'||(i%4) end,x'0102',datetime('2024-01-01 10:00:00','+'||i||' hours'),'2024-01-01 10:00:00.123456','{"a":1}' from n;
with recursive n(i) as (select 1 union all select i+1 from n where i<30) insert into orders select i,1+i%50,i*3.7,date('2024-01-01','+'||i||' days') from n;
insert into pair values (1,2,'x');
