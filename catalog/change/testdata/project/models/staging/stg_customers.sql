select
    id as customer_id,
    name,
    email,
    country
from {{ source('raw', 'customers') }}
