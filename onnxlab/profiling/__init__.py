"""From one configuration to a Profile."""
