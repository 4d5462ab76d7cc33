"""Who watches what: channels, subscriptions and the adaptive tick."""
