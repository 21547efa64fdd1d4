"""Option files read by our reader and by the servers themselves."""
