select * from {{ ref('picks_by_day') }} where kilos < 0
