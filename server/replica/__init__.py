"""What has been published of a game: board, ring, and what brings readers to the present."""
