"""What the operator is told: logs, metrics, progress."""
