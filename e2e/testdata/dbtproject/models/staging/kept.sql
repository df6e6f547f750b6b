{{ config(materialized='ephemeral') }}
select * from {{ ref('stg_picks') }} where kilos > 0
