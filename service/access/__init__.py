"""Who may do what: keys, their scopes, and how often they may come."""
