{{ config(materialized='view') }}
with revenue as (
    select * from {{ ref('country_revenue') }}
)
select
    revenue.country,
    revenue.revenue,
    revenue.revenue * rates.tax as tax
from revenue
left join {{ ref('rates') }} as rates on rates.country = revenue.country
