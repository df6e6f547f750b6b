-- What TestConnectors reads from PostgreSQL, with the client and without it. Names that begin with path_ are of tables
-- that definitions call without their schema, from another schema; win_ marks views with windows and LATERAL.
create schema sales; create schema hr; comment on schema sales is 'Sales schema';
create type mood as enum ('sad','ok','happy');
create domain posint as int check (value > 0);
create domain dn as text not null;
create type addr as (street text, zip int);
create table public.types_all (
 a smallint, b integer, c bigint, d real, e double precision, f numeric, g numeric(10,2), h numeric(5),
 i char, j char(5), k varchar, l varchar(30), m text, n boolean, o date, p time, q timetz, r timestamp, s timestamptz,
 t timestamp(3), u timestamptz(0), v time(2), w interval, x interval day to second(3), y bytea, z uuid,
 aa json, ab jsonb, ac inet, ad cidr, ae macaddr, af macaddr8, ag money, ah bit(3), ai bit varying(5), aj bit varying, ak tsvector, al tsquery,
 am int[], an text[][], ao varchar(5)[], ap point, aq line, ar box, at path, au polygon, av circle, aw xml, ax oid, ay regclass, az name,
 ba int4range, bb numrange, bc tsrange, bd tstzrange, be daterange, bf int8range, bg int4multirange, bh mood, bi mood[], bj posint, bk dn, bl addr, bm "char", bn pg_lsn, bo lseg, bp interval year, bq bit, br timestamp[], bs numeric(10,2)[], bt interval(3), bu posint[], bv xid, bw jsonpath, bx regproc);
create table sales.customers (id serial primary key, name varchar(100) not null, email text unique, created timestamptz default now(), score numeric(8,2), note text);
comment on table sales.customers is 'People who buy'; comment on column sales.customers.email is 'their e-mail';
create table sales.orders (id bigint generated always as identity primary key, customer_id int not null references sales.customers(id) on delete cascade, total numeric(10,2), state mood default 'ok', placed date, gen numeric generated always as (total*2) stored);
create table hr.emp (a int, b int, boss_a int, boss_b int, cust int constraint "Odd Name" references sales.customers, primary key (b, a), foreign key (boss_b, boss_a) references hr.emp(b,a));
create table public."Weird Table" ("Col A" int primary key, "sel.ect" text, "x""y" int);
create table public.parts (id int, d date) partition by range (d);
create table public.parts_2024 partition of public.parts for values from ('2024-01-01') to ('2025-01-01');
create table public.parent (p int); create table public.child (c int) inherits (public.parent);
create unlogged table public.unl (a int);
create table public.nocols ();
create view sales.big_orders as select o.id, c.name, o.total * 1.1 as gross from sales.orders o join sales.customers c on c.id = o.customer_id where o.total > 100;
comment on view sales.big_orders is 'large ones'; comment on column sales.big_orders.gross is 'with tax';
create view public.over_view as select name, sum(gross) as total from sales.big_orders group by name;
create materialized view sales.per_day as select placed, count(*) n, sum(total) total from sales.orders group by placed;
create view hr.star as select * from hr.emp;
create view hr.rec as with recursive t(n) as (select 1 union all select n+1 from t where n<5) select n from t;
create view hr.consts as select 1 as one, 'x'::text as two;
create view public."Weird View" as select "Col A", "sel.ect" from "Weird Table";
create sequence public.seq1;
create procedure sales.fill(n int) language sql as $$ insert into sales.customers(name,email) select name, email from sales.customers where id < n $$;
create function sales.fun(n int) returns int language sql as $$ select 1 $$;
create table public.empty_t (a int, b text);
insert into sales.customers (name,email,score,note) select 'n'||i, 'e'||i||'@x.y', (i%7)*1.5, case when i%3=0 then null else 'note '||(i%4) end from generate_series(1,200) i;
insert into sales.orders (customer_id,total,state,placed) select 1+i%200, (i*37%1000)/10.0, (array['sad','ok','happy'])[1+i%3]::mood, date '2024-01-01'+i%90 from generate_series(1,1000) i;
insert into public.types_all (a,b,c,d,e,f,g,i,j,l,m,n,o,p,r,s,z,aa,ac,ag,ah,bh,bj,bk) values (1,2,3,1.5,2.25,3.75,4.5,'a','bb','ccc','ddd',true,'2024-02-03','10:11:12','2024-01-02 03:04:05','2024-01-02 03:04:05+02','a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11','{"a":1}','10.0.0.1',12.5,'101','ok',5,'dom'),(null,20,30,null,1e20,0.1,100,null,null,'c','d',false,'2023-12-31',null,'2024-01-02 03:04:05.678','2024-05-02 03:04:05.123456+00',null,null,null,null,null,'sad',7,'dom');
refresh materialized view sales.per_day;
analyze;
create schema "My Schema"; create schema other; create schema pgx;
create type other.kind as enum ('a','b'); create type other."Odd Kind" as enum ('x');
create domain other.money2 as numeric(12,2); create type other.pair as (a int, b int);
create table other.base (id int primary key, k other.kind, ok other."Odd Kind", ks other.kind[], m other.money2, ms other.money2[], p other.pair, ps other.pair[], js json[], pts point[], nm name[], ch char(3)[], iv interval(2)[], v bpchar, "Ümlaut,col(x)" int, ts timestamptz[]);
create table public.path_ref (id int primary key, b int references other.base, unique (id,b));
create table other.path_refers (id int, constraint to_pub foreign key (id) references public.path_ref(id));
create table "My Schema"."T,b(1)" (id int references other.base(id), "q""uote" text);
create view other.path_cross as select r.id, b.k from public.path_ref r left join other.base b on b.id = r.b;
create view "My Schema".v1 as select * from "My Schema"."T,b(1)";
create view other.path_same as select id from public.path_ref;
create view public.cat as select relname from pg_catalog.pg_class where relkind = 'r';
create view public.info as select table_name from information_schema.tables;
create view public.win_rank as select id, row_number() over (partition by b order by id) rn, case when b > 1 then b else id end as c, (select max(id) from other.base) as sub from public.path_ref;
create view public.uni as select id from public.path_ref union all select id from other.base;
create view public.win_lateral as select r.id, x.n from public.path_ref r, lateral (select count(*) n from other.base b where b.id=r.b) x;
create view public.renamed(one, two) as select id, b from public.path_ref;
create view public.onview as select one from public.renamed;
create view public.func as select g from generate_series(1,3) g;
create view public.usingv as select id, k from other.base join other.path_refers using (id);
create view public.dist as select distinct on (b) b, id from public.path_ref order by b, id;
create view public.jsonv as select (js[1])->>'a' as a, ok::text as t from other.base;
create materialized view other.path_mat as select count(*) from public.path_ref;
create table public.p (id int, d date, primary key (id, d)) partition by list (id); create table public.p1 partition of public.p for values in (1);
create function public.trg() returns trigger language plpgsql as $$ begin return new; end $$;
create procedure public.pr(a int, b text default 'x') language plpgsql as $$ begin insert into public.path_ref select id, 1 from other.base; end $$;
create procedure public.deletes(a int) language sql as $$ delete from public.path_ref where id = a; update public.path_ref set b = 1 $$;
create procedure other.noargs() language sql begin atomic insert into public.path_ref(id) select id from other.path_refers; end;
comment on procedure public.deletes(int) is 'a proc';
create table pgx.x (a int);
insert into other.base(id,k) select i, 'a' from generate_series(1,50) i; insert into public.path_ref select i,i from generate_series(1,50) i;
create table public.odd_values (i interval, b bytea, j jsonb, a int[], t text[][]);
insert into public.odd_values values ('1 day 2 hours', '\x0102', '{"b": 2}', '{1,2}', '{{a,b}}');
analyze;
