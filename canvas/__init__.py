"""The pure core: boards, palettes, cooldowns and the rules of placing.

Nothing here knows a clock, a loop, a socket, chance or a log: `now` is an argument.
"""
