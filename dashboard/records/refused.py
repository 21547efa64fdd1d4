class Refused(Exception):
    """This cannot be done now. Nothing was changed. The message gives the reason and the fix."""
