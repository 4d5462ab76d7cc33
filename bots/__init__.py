"""Scripted players on the client library: `tesserae bots …`.

Each way of playing is a small module that yields cells (walk.py); runner.py seats a crew of bots
that play it, report.py counts and shows how they fare.
"""
