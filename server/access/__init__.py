"""Who somebody is and what they may: tokens, the secret, addresses, limits, admission."""
