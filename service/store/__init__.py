"""What the service remembers. The only package that knows SQLAlchemy; the rest of the service sees small classes and records."""
