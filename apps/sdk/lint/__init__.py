"""What is wrong or could be better with apps, one rule module per concern; the loader runs them."""
