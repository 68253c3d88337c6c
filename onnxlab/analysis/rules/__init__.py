"""Rules: each a function from a model to the findings it yields."""
