"""The way to AWS that its stores share: sessions, clients, a loop for bulk reads, faults."""
