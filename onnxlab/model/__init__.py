"""What the file says: reading, addressing and tabulating a model without running it."""
