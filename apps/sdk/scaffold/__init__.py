"""Makes new apps and skills that work as they are: `shortlist new` is its face."""
