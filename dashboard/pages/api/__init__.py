"""What scripts use instead of pages: tokens of people's own, and the same actions and queries as the pages behind them.

A request carries a token and nothing else: cookies are not looked at, so that no page elsewhere can make a browser ask
in somebody's name, and no CSRF token is needed. See docs/api.md.
"""
