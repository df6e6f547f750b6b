{{ config(severity='warn', tags=['smoke']) }}
select 1 from {{ ref('harvest') }} h join {{ ref('trees') }} t on h.tree = t.tree having count(*) < 5
