"""The databases that these tests run on."""

from tests.support.databases import database, database_url, postgres_schema, postgres_url, shared_url

__all__ = ["database", "database_url", "postgres_schema", "postgres_url", "shared_url"]
