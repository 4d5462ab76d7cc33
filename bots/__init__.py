"""Scripted players on the client library: `tesserae bots …`.

Each way of playing is a small module and a row in ways.py: alone (walk.py, …) each bot minds its
own business, in a team (paint.py, life_way.py) all work on one target. crew.py seats and runs them,
stage.py lets crews come and go, report.py and screen.py count and show how they fare.
"""
