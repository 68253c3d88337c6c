"""Running models, always in a child process."""
