"""Commands of care: what an operator does to a store, over its ports, without a word printed."""
