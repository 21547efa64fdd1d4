"""The registry of faults."""

from workers.topology.faults.alive import Partition, Switchover
from workers.topology.faults.fault import Fault, FaultScene
from workers.topology.faults.kills import AllKilled, AsynchronousLink, HostLoss, MajorityLost, PrimaryKill
from workers.topology.faults.power import AllLosePower, PrimaryPowerLoss
from workers.topology.faults.replica import ReplicaKill, ReplicaPowerLoss

__all__ = ["FAULTS", "Fault", "FaultScene"]

FAULTS: dict[str, Fault] = {
    fault.key: fault
    for fault in (
        HostLoss(), PrimaryKill(), PrimaryPowerLoss(), AllKilled(), AllLosePower(), MajorityLost(), Partition(),
        ReplicaKill(), ReplicaPowerLoss(), AsynchronousLink(), Switchover(),
    )
}  # fmt: skip
