"""Turns of stored conversations: who holds one, what of a turn is kept, and what others are told of it."""
