"""How servers of a flavour are made and started: one file each."""

from workers.sandbox.flavours.family import Family
from workers.sandbox.flavours.mariadb import MARIADB
from workers.sandbox.flavours.mysql import MYSQL
from workers.servers.facts import FlavourKey

FAMILIES: dict[FlavourKey, Family] = {"mariadb": MARIADB, "mysql": MYSQL}
