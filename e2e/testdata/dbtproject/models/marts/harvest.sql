select k.tree, t.planted, sum(k.kilos) as kilos, count(*) as crates
from {{ ref('kept') }} k join {{ ref('trees') }} t on k.tree = t.tree group by all
