select
    state,
    count(*) as orders
from {{ ref('all_orders') }}
group by state
