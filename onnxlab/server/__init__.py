"""The Jupyter server's side: REST handlers."""
