"""Telling people and programs what happened: `events.notify(Event(...))` is the one way in."""
