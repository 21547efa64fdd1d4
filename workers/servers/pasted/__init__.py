"""Settings from a text that a person pasted: what a server printed, or an option file. Nothing of it is stored."""
