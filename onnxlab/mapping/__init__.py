"""What became of what: the join between original and optimised graphs."""
