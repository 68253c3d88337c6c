"""One file a verb: its options and its function. API, CLI, magics and server call these."""
