"""The load test: many clients on bare sockets, in steps, and a report of how the server did."""
