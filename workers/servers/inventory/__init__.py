"""Servers from files that people have: option files, login paths, inventories of PMM and Ansible, CSV. Files are
hostile: their size, depth and number of servers are limited, and no message repeats what a file holds."""
