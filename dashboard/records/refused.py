class Refused(Exception):
    """What was asked cannot be done now; the message says why and what to do. Nothing was changed."""
