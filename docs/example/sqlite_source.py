"""The client's source for any database, adapted to SQLite. The client stops at a foreign
key without a name, as most keys in SQLite are, and looks for the tables of a view outside
the schema "main"."""

from datahub.ingestion.source.sql.sql_generic import SQLAlchemyGenericSource


class SQLiteSource(SQLAlchemyGenericSource):
    def get_foreign_key_metadata(self, dataset_urn, schema, fk_dict, inspector):
        name = fk_dict["name"] or "_".join(fk_dict["constrained_columns"]) + "_key"
        return super().get_foreign_key_metadata(dataset_urn, schema, {**fk_dict, "name": name}, inspector)

    def get_db_schema(self, dataset_identifier):
        return None, dataset_identifier.split(".")[0]
