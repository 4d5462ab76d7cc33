"""Who is here: users (not tabs), what they watch, and debounced differences. Pure."""
