"""Telling people and programs what happened: `events.notify(News(...))` is the one way in."""
