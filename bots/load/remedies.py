"""What helps when a server keeps a load test out: its limits by name, and the flags that lift them.

Owns the table from refusals, close codes and HTTP statuses to flags of `tesserae serve`; pure.
Called wherever trouble is told.
"""

_ADDRESS = "or name your address in --address-exceptions"
REMEDIES = {
    "guests-per-address": f"start the server with --guests-per-address 0, {_ADDRESS}",
    "address-cooldown": f"start the server with --address-budget 0, {_ADDRESS}",
    "rate": f"start the server with --message-rate 0, {_ADDRESS}",
    "cooldown": "start the server with --cooldown-ms 0, or leave --rate out",
    "429": f"start the server with --handshakes-per-second 0, {_ADDRESS}",
    "4103": "start the server with a higher --max-connections, and --max-connections-per-address 0",
    "4102": "these clients read too slowly: use more --processes",
    "forbidden": "let guests in, or give a --token-file",
    "4401": "give a --token-file with tokens of this server",
    "unauthorized": "give a --token-file with tokens of this server",
    "not-found": "check --game and --url",
    "unknown-game": "check --game",
    "404": "check --url",
}


def remedy(reason: str, code: str | None) -> str:
    """Return the reason, with what helps where that is known."""
    named = reason.partition(":")[0]
    helps = REMEDIES.get(named) or REMEDIES.get(code or "")
    return f"{reason} ({helps})" if helps else reason


def helps(code: str) -> str:
    """Return what helps against a refusal, in brackets; empty where nothing is known."""
    return f" ({REMEDIES[code]})" if code in REMEDIES else ""
