with paid as (
  select o.id, sum(o.amount) as revenue
  from shop.orders o
  join shop.customers c on c.id = o.customer
  where o.state = 'paid'
  group by o.id
)
select id, revenue, nothing
from paid
order by revenue
