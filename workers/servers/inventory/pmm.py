"""PMM: the answer of its inventory API, or `pmm-admin list --json`. Neither holds accounts."""

from workers.servers.inventory.found import FoundServer, split_address
from workers.servers.inventory.untyped import listed, mapping, word


def is_one(document: object) -> bool:
    found = mapping(document)
    services = [mapping(one) for key in ("mysql", "service") for one in listed(found.get(key))]
    return any("service_name" in one for one in services)


def read(document: object) -> list[FoundServer]:
    found = mapping(document)
    services = [_of_api(mapping(one)) for one in listed(found.get("mysql"))]
    listing = (mapping(one) for one in listed(found.get("service")))
    return services + [_of_list(one) for one in listing if "mysql" in word(one.get("service_type")).lower()]


def _of_api(service: dict[str, object]) -> FoundServer:
    socket = word(service.get("socket"))
    return FoundServer(
        name=word(service.get("service_name")),
        host="" if socket else word(service.get("address")),
        port=word(service.get("port")),
        socket=socket,
        label=word(service.get("environment")),
    )


def _of_list(service: dict[str, object]) -> FoundServer:
    address, name = word(service.get("address_port")), word(service.get("service_name"))
    if address.startswith("/"):
        return FoundServer(name, socket=address)
    host, port = split_address(address)
    return FoundServer(name, host, port)
