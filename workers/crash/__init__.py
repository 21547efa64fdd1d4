"""Crash trials: which acknowledged commits survive a crash, and do engine, binlog and replica agree?

A *witness* commits numbered transactions and keeps a *ledger* of the acknowledged ones. A *crash kind* takes the server
down. After recovery *evidence* is read from engine, binlog and replica, and *checks* compare it with the ledger. A
check that raises, or that lacks evidence, is unknown, never valid.
"""
