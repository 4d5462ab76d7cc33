"""Names of games: `<metaGame>#<gameId>`, and the keys that follow from them."""

DEFAULT_GAME = "place#main"


def blob_folder(game: str) -> str:
    """Folder of a game's blobs, without a slash at the end."""
    return "canvas" if game == DEFAULT_GAME else "canvas/" + game.replace("#", "/")


def config_sort_key(game: str) -> str:
    """Sort key of a game's item in the config table, whose partition is `CONFIG`."""
    return "SINGLETON" if game == DEFAULT_GAME else f"GAME#{game}"


def game_of_sort_key(sort_key: str) -> str:
    """Name of the game whose item in the config table has this sort key."""
    return DEFAULT_GAME if sort_key == "SINGLETON" else sort_key.removeprefix("GAME#")
