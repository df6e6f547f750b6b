create table shop.orders (id int, day date, amount decimal(9,2));

create view shop.days as
select day, sum(amount) as total
from shop.orders
group by day;

create view shop.board as select * from shop.days;
