"""The configuration: one frozen `Settings`, checked as a whole before anything starts.

`load` merges flags, environment and a TOML file; `Settings(...)` by itself is what tests and
embedders make. Nothing here is read again after start.
"""

from server.config.load import Loaded, load
from server.config.palette import read_palette
from server.config.settings import Settings
from server.config.values import Size
from server.problems import ConfigurationError, Problem

__all__ = [
    "ConfigurationError",
    "Loaded",
    "Problem",
    "Settings",
    "Size",
    "load",
    "read_palette",
]
