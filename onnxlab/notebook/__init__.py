"""The kernel's side: magics, widgets, display."""
