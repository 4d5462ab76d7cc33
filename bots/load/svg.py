"""Line plots as inline SVG, without a library or a script; pure.

Owns the scales, the axes and the lines; colours are classes that the page's style sheet fills.
Called by the page.
"""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from math import floor, log10
from typing import NamedTuple

WIDTH, HEIGHT = 480, 190
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 12, 28
TICKS = 4
_STEPS = (1, 2, 2.5, 5, 10)
_KILO, _MEGA = 1e3, 1e6


class Curve(NamedTuple):
    """One line: its name, its class, and its values; None leaves a gap."""

    name: str
    look: str
    values: Sequence[float | None]


class Band(NamedTuple):
    """A stretch of time that is marked, as a step."""

    name: str
    start_s: float
    stop_s: float


def plot(
    times_s: Sequence[float], curves: Sequence[Curve], bands: Sequence[Band], unit: str
) -> str:
    """Draw curves over time."""
    longest = max([*times_s, *(band.stop_s for band in bands), 1.0])
    known = [value for curve in curves for value in curve.values if value is not None]
    step = nice_step(max(known, default=0.0) / TICKS)
    scale = _Scale(longest, step * TICKS)
    parts = [
        *_marked(bands, scale),
        *_axes(scale, step, unit),
        *(line for curve in curves for line in _lines(curve, times_s, scale)),
    ]
    label = escape(", ".join(curve.name for curve in curves), quote=True)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label} over time">'
        f"{''.join(parts)}</svg>"
    )


def nice_step(least: float) -> float:
    """Return the next round number: 1, 2, 2.5 or 5 with zeros."""
    if least <= 0:
        return 1.0
    power = 10.0 ** floor(log10(least))
    return next(factor * power for factor in _STEPS if factor * power >= least * (1 - 1e-9))


def short(value: float) -> str:
    """Write a number in few characters."""
    for size, letter in ((_MEGA, "M"), (_KILO, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


class _Scale:
    def __init__(self, longest_s: float, highest: float) -> None:
        self.longest_s = longest_s
        self._highest = highest

    def x(self, at_s: float) -> float:
        return LEFT + at_s / self.longest_s * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - value / self._highest * (HEIGHT - TOP - BOTTOM)


def _axes(scale: _Scale, step: float, unit: str) -> Iterator[str]:
    for tick in range(TICKS + 1):
        y = scale.y(tick * step)
        text = short(tick * step) + (f" {unit}" if tick == TICKS else "")
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(text)}</text>'
    every_s = nice_step(scale.longest_s / 6)
    for number in range(int(scale.longest_s / every_s) + 1):
        at_s = number * every_s
        yield (
            f'<text x="{scale.x(at_s):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{at_s:g} s</text>'
        )


def _marked(bands: Sequence[Band], scale: _Scale) -> Iterator[str]:
    for band in bands:
        left, right = scale.x(band.start_s), scale.x(band.stop_s)
        yield (
            f'<rect class="band" x="{left:.1f}" y="{TOP}" width="{right - left:.1f}" '
            f'height="{HEIGHT - TOP - BOTTOM}"><title>{escape(band.name)}</title></rect>'
        )


def _lines(curve: Curve, times_s: Sequence[float], scale: _Scale) -> Iterator[str]:
    """Yield a line for each stretch without a gap."""
    points = list(zip(times_s, curve.values, strict=True))
    for there, stretch in groupby(points, lambda point: point[1] is not None):
        if there:
            places = [f"{scale.x(at):.1f},{scale.y(v or 0.0):.1f}" for at, v in stretch]
            drawn = places * 2 if len(places) == 1 else places  # a dot: one point is no line
            yield f'<polyline class="{curve.look}" points="{" ".join(drawn)}"/>'
