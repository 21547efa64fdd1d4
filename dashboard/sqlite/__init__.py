"""Django's SQLite backend, with connections that outlive the request that opened them."""
