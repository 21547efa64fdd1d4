"""A person's own transaction: a small TOML file with tables, values and weighted statements (docs/own-transaction.md).

The file is hostile until it is checked. A statement is taken apart into tokens, and only known words, declared names
and a few functions pass. It is put together again from its tokens, with a space between them, so it holds no comment
and no second statement. Names with a dot are refused, so nothing can leave the schema of the load.
"""
