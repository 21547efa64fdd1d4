"""The compare page: measured points of any experiments side by side. The address holds the whole choice."""
