"""Guardrails of attached servers: figures that are watched beside the load, and the limits that stop it."""
