"""Names of games: `<metaGame>#<gameId>`, and the keys that follow from them."""

import re

DEFAULT_GAME = "place#main"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}#[A-Za-z0-9_-]{1,64}")


def is_game_name(text: str) -> bool:
    """Whether a text has the form of a game's name."""
    return _NAME.fullmatch(text) is not None


def blob_folder(game: str) -> str:
    """Folder of a game's blobs, without a slash at the end."""
    return "canvas" if game == DEFAULT_GAME else "canvas/" + game.replace("#", "/")


def config_sort_key(game: str) -> str:
    """Sort key of a game's item in the config table, whose partition is `CONFIG`."""
    return "SINGLETON" if game == DEFAULT_GAME else f"GAME#{game}"
