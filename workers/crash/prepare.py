"""The first steps of a crash trial: the server with the witness's tables, then everything for the load.

Everything goes into `made` at once, so that it is removed in any case."""

from collections.abc import Mapping
from dataclasses import replace

from workers.crash.attached import AttachedServer
from workers.crash.chain import Begun, Prepared, ServerReady
from workers.crash.disks import NO_DISKS, ServerDisks, made_disk, make_disks
from workers.crash.inspect import BinlogPlace, Inspector, SentBinlog
from workers.crash.own_load import OwnLoad
from workers.crash.reconnecting import ReconnectingClient
from workers.crash.replica import Replica
from workers.crash.setup_and_result import Attached
from workers.crash.transactions import statements
from workers.errors import PlanError
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.settings import same
from workers.transaction.declaration import Declaration


def start(begun: Begun) -> ServerReady:
    begun.timeline.step("prepare")
    attached = begun.setup.attached
    server, disks = (_attached(begun, attached), NO_DISKS) if attached else _sandbox(begun)
    if begun.setup.own:
        _make_own_tables(begun, server, begun.setup.own)
    with begun.ports.connect(server.target) as connection:
        variables = ask.names_to_values(connection, "SHOW GLOBAL VARIABLES")
    return ServerReady(**vars(begun), server=server, disk=disks.data, logs_disk=disks.logs, variables=variables)


def prepare(started: ServerReady) -> Prepared:
    """Raises PlanError when an attached server has other settings than the variant."""
    setup, server = started.setup, started.server
    if setup.attached:
        _must_have(setup.name, setup.settings, started.variables)
    look = _inspector(started)
    disk = _replica_disk(started) if started.kind.with_replica else None
    wants_replica = setup.replica and started.has_binlog and not (setup.attached or started.kind.records)
    replica = _replica(started, disk) if disk or wants_replica else None
    write = look.own.write if look.own else statements
    witness = started.ports.witness(
        server.target, started.schema, setup.clients, started.secret, write=write, commits=setup.commits
    )
    started.made.callback(witness.close)
    reconnecting = _reconnecting(started)
    started.kind.arm(started.scene)
    return Prepared(
        **vars(started), witness=witness, replica=replica, replica_disk=disk, look=look, reconnecting=reconnecting
    )


def _attached(begun: Begun, attached: Attached) -> AttachedServer:
    server = begun.ports.attached(attached)
    begun.made.callback(server.close)
    begun.made.killed_by(server.kill)
    with begun.ports.connect(server.target) as connection:
        begun.ports.tables(connection, begun.schema, begun.setup.engine)
    return server


def _sandbox(begun: Begun) -> tuple[Sandbox, ServerDisks]:
    """With disks if the crash kind or the variant's storage needs them."""
    setup, made = begun.setup, begun.made
    if setup.build is None:
        raise PlanError("An attached server brings its own files: no image is made for it.")
    key = begun.ports.image(setup.root, setup.build, setup.engine, setup.user, begun.ports.sandbox)
    disks = make_disks(begun, key) if begun.kind.needs_disk or setup.storage else NO_DISKS
    begun.timeline.step("start")
    how = {"name": setup.name, "image_key": key, "trace": False, "user": setup.user}
    where = {"datadir_on": disks.data.mnt if disks.data else None, "logs": disks.places}
    server = begun.ports.sandbox(setup.root, setup.build, begun.settings, **where, **how)
    made.enter_context(server)
    made.killed_by(server.kill)
    for disk in disks.all:
        made.callback(disk.give_way)  # before the server is killed
        if setup.storage:
            disk.storage(1000 * setup.storage.k_ms, setup.storage.r_mb_per_s)
    if not disks.all:
        server.flush_logs()  # else MySQL may lose our account with innodb_flush_log_at_trx_commit=0
    return server, disks


def _replica_disk(started: ServerReady) -> VolatileDisk:
    """PlanError: the primary has two disks."""
    setup = started.setup
    if setup.storage and setup.storage.apart:
        raise PlanError(
            "Crash points of a replica need one device for each server.", "Remove +binlog or +redo from the storage."
        )
    started.timeline.step("prepare the replica's disk")
    disk = started.ports.disk(setup.root, setup.build, started.ports.user(setup.user))
    return made_disk(started, disk)


def _replica(started: ServerReady, disk: VolatileDisk | None) -> Replica:
    """On a disk of its own it has the settings of its primary, and those that the trial gives it."""
    setup, made = started.setup, started.made
    started.timeline.step("attach replica")
    of_disk = {"settings": {**setup.settings, **setup.replica_settings}, "datadir_on": disk.mnt} if disk else {}
    replica = made.enter_context(
        started.ports.replica(setup.root, setup.build, started.server, started.secret, user=setup.user, **of_disk)
    )
    made.killed_by(replica.sandbox.kill)
    if disk:
        made.callback(disk.give_way)  # before the server is killed
    return replica


def _reconnecting(started: ServerReady) -> ReconnectingClient | None:
    """Another server may answer at the address of an attached server. A server whose binlog is on this host is crashed
    alone, and its files must not change between the crash and the start."""
    attached = started.setup.attached
    if attached is None or attached.binlog_index:
        return None
    client = started.ports.reconnecting(lambda: (started.server.target,), started.schema, started.secret)
    started.made.callback(client.close)
    return client


def _make_own_tables(begun: Begun, server: Sandbox | AttachedServer, own: Declaration) -> None:
    """In the schema of the ledger. The statements that make them are in earlier files of the binlog than the load."""
    if isinstance(server, AttachedServer):
        raise PlanError("An own transaction is crashed in sandboxes only.", "Choose a sandbox.")
    with begun.ports.connect(server.target) as connection:
        OwnLoad(own).make(connection, begun.schema, begun.setup.engine)
        ask.rows(connection, "FLUSH LOGS")
    server.flush_logs()


def _must_have(name: str, settings: Mapping[str, str], variables: Mapping[str, str]) -> None:
    """An attached server keeps its settings: with others the verdict would name the wrong variant."""
    for variable, value in settings.items():
        if not same(variable, found := variables.get(variable, "not known"), value):
            raise PlanError(
                f"{name} has {variable}={found} now, and the variant has {value}: it was not crashed.",
                "Set it in the server's option file, or change the plan.",
            )


def _inspector(started: ServerReady) -> Inspector:
    """It reads the binlog from now on. If the account may not read it, the trial goes on and says so."""
    server, own = started.server, OwnLoad(started.setup.own) if started.setup.own else None
    look = Inspector(server, started.schema, started.secret, None, own=own)
    if not started.has_binlog:
        return look
    if not isinstance(server, AttachedServer):
        place = BinlogPlace.now(server.binlog_index, server.datadir)
        return replace(look, log=replace(place, own_tables=look.own_tables))
    if index := server.binlog_index(started.variables):
        return replace(look, log=BinlogPlace.now(index))
    return replace(look, log=look.piece("binlog", lambda: SentBinlog.now(server.target)))
