"""An estimate of how many tokens a text costs, for budgets and traces; the bill is the provider's own count."""

BYTES_PER_TOKEN = 4
"""UTF-8 bytes per token: the usual rule of thumb for English and JSON. It overestimates for scripts of three bytes a letter."""


def estimate_tokens(text: str) -> int:
    """UTF-8 bytes divided by four, rounded up; 0 for the empty text."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)
