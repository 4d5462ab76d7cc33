"""Frames to messages and back: the codecs of protocol version 1. Pure: bytes in, bytes out."""
