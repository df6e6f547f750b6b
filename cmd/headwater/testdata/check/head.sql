create table shop.orders (id int, day date);

create view shop.days as
select day, sum(amount) as total
from shop.orders
group by day;

create view shop.board as select * from shop.days;
