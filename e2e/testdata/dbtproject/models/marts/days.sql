select cast(date '2026-01-01' + cast(i as integer) as date) as day from range(30) t(i)
