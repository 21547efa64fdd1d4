"""The REST API for scripts. It calls the same actions and queries as the pages. See docs/api.md.

A request is authorised by its token alone. Cookies are ignored, so a foreign page cannot use a browser's login, and no
CSRF token is needed.
"""
