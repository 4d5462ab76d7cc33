"""Draws what 500 bots paint: a mosaic of dunes under a sun, 1024 x 1024; ours, by formula.

The same picture every time: `python -m bench.motif OUT.png`. painting.py lets bots paint it.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

SIDE = 1024
TILE = 16
GROUT = 0.82

SKY = np.array([(0x1B, 0x2A, 0x6B), (0x6A, 0x3D, 0x9A), (0xE8, 0x6A, 0x5C), (0xFF, 0xC8, 0x57)])
DUNES = [
    (0.62, 0.055, 1.6, 0.3, (0xB4, 0x5B, 0x6E)),
    (0.70, 0.060, 1.1, 2.1, (0x8C, 0x44, 0x6B)),
    (0.79, 0.050, 1.9, 4.0, (0x5A, 0x35, 0x66)),
    (0.88, 0.065, 0.8, 1.2, (0x2B, 0x25, 0x4F)),
]
SUN, SUN_RADIUS = (0.66, 0.47), 0.135


def painting() -> np.ndarray:
    """Return RGB uint8 [SIDE, SIDE, 3]."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    rgb = sky(y)
    rgb = sun(rgb, x, y)
    for height, swing, waves, phase, color in DUNES:
        rgb = dune(rgb, x, y, height + swing * np.sin(2 * np.pi * (waves * x + phase / 6.3)), color)
    return (mosaic(rgb) + 0.5).clip(0, 255).astype(np.uint8)


def sky(y: np.ndarray) -> np.ndarray:
    """Blend from night above to gold at the horizon."""
    at = (y / 0.72).clip(0, 1) * (len(SKY) - 1)
    channels = [np.interp(at, range(len(SKY)), SKY[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=-1)


def sun(rgb: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Add a disc with bands cut out below, and its glow."""
    distance = np.hypot(x - SUN[0], y - SUN[1])
    glow = np.exp(-((distance / 0.28) ** 2))[..., None]
    rgb = rgb + glow * (np.array((255, 214, 140)) - rgb) * 0.7
    below = (y - SUN[1]) / SUN_RADIUS
    cut = (below > 0.05) & ((below * 6.5) % 1 < 0.12 + 0.35 * below)
    disc = ((distance < SUN_RADIUS) & ~cut)[..., None]
    return np.where(disc, np.array((255, 240, 196)), rgb)


def dune(
    rgb: np.ndarray, x: np.ndarray, y: np.ndarray, ridge: np.ndarray, color: tuple[int, int, int]
) -> np.ndarray:
    """Lay a dune over the rest; its crest catches the light."""
    depth = y - ridge
    light = np.exp(-depth.clip(0) / 0.03) * (0.55 + 0.45 * np.cos(3 * (x - SUN[0])))
    shaded = (
        np.array(color) + light[..., None] * (np.array((255, 190, 120)) - np.array(color)) * 0.8
    )
    return np.where((depth > 0)[..., None], shaded, rgb)


def mosaic(rgb: np.ndarray) -> np.ndarray:
    """Give each tile one colour and a darker joint; every second row is half a tile off."""
    rows = np.arange(SIDE) // TILE
    shift = np.where(rows % 2, TILE // 2, 0)
    columns = np.arange(SIDE)[None, :] + shift[:, None]
    centre_x = (columns // TILE * TILE + TILE // 2 - shift[:, None]).clip(0, SIDE - 1)
    centre_y = np.broadcast_to((rows * TILE + TILE // 2)[:, None], centre_x.shape)
    tiles = rgb[centre_y, centre_x]
    joint = (columns % TILE == 0) | (np.arange(SIDE) % TILE == 0)[:, None]
    wobble = 1 + 0.05 * np.sin(12.9898 * (columns // TILE) + 78.233 * rows[:, None])
    laid: np.ndarray = tiles * wobble[..., None] * np.where(joint, GROUT, 1.0)[..., None]
    return laid


if __name__ == "__main__":
    Image.fromarray(painting()).save(Path(sys.argv[1]), optimize=True)
