{{ config(materialized='table', contract={'enforced': true}) }}
select
    cast(order_id as integer) as invoice_id,
    cast(amount as double) as amount
from {{ ref('paid_orders') }}
