"""Nodes, the replication between them, a fault, a failover: which acknowledged commits survive it?"""
