"""Who somebody is and where from: tokens, the secret, addresses, and the limits on them."""
