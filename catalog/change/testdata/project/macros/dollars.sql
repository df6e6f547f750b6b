{% macro dollars(column) %}{{ column }} / 100.0{% endmacro %}
