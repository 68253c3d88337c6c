"""Results to text or file."""
