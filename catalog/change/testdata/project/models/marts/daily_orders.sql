{{ config(materialized='incremental', unique_key='day') }}
select
    cast(ordered_at as date) as day,
    sum(amount) as amount,
    count(*) as orders
from {{ ref('stg_orders') }}
{% if is_incremental() %}
where ordered_at > (select max(day) from {{ this }})
{% endif %}
group by 1
