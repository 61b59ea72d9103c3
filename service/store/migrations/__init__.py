"""Alembic's environment. A new migration: a file in `versions`, the same change in `tables`, `HEAD` moved to it."""
