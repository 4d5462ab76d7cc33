"""The command line: `tesserae serve | token | config | bots`."""
