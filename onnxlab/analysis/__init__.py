"""Facts derived from a model without running it."""
