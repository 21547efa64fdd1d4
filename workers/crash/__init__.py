"""Induced crashes: what a client was told, what is left afterwards, and whether the two agree.

A *witness* commits numbered transactions and keeps a *ledger* of what the server acknowledged. A *crash kind*
takes the server down. After recovery *evidence* is read from engine, binlog and replica, and *checks* compare it
with the ledger. A check that raises, or evidence that is incomplete, is unknown, never valid.
"""
