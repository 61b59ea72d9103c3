"""What runs in a process of its own for one request: tables in, one query on DuckDB, an answer out.

Only the standard library and duckdb are imported here, since every request pays for it. The package is imported by its own
name in that process, so its modules name each other relatively.
"""
