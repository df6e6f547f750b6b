select id, tree, kilos, cast(picked_at as timestamp) as picked_at from {{ source('field', 'raw_picks') }}
