select
    c.country,
    sum(o.amount) as revenue
from {{ ref('stg_customers') }} c
join {{ ref('paid_orders') }} o on o.customer_id = c.customer_id
group by c.country
