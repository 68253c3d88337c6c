"""Passes: changes from a model to a model, each a record of the catalog."""
