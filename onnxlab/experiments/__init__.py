"""From several configurations to a verdict."""
