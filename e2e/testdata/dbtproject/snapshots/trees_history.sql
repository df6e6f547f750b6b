{% snapshot trees_history %}
{{ config(target_schema='main', unique_key='tree', strategy='check', check_cols=['planted']) }}
select * from {{ ref('trees') }}
{% endsnapshot %}
