{{ config(materialized='incremental', unique_key='day') }}
select cast(picked_at as date) as day, sum(kilos) as kilos from {{ ref('stg_picks') }}
{% if is_incremental() %} where picked_at > (select max(day) from {{ this }}) {% endif %}
group by 1
