-- One row for each order.
select
    id as order_id,
    customer_id,
    {{ dollars('amount_cents') }} as amount,
    state,
    ordered_at
from {{ source('raw', 'orders') }}
