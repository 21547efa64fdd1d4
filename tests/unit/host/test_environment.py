"""The environment is told where it is known, and None where not."""

from workers.host import environment

ROOT = "26 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro"
HIDDEN = "40 26 0:44 / /srv/my\\040data rw - tmpfs tmpfs rw"
ON_TOP = "41 40 8:1 / /srv/my\\040data rw,noatime - xfs /dev/sda1 rw,attr2"


def test_cores_memory_and_kernel_of_this_host_are_known():
    host = environment.host()
    assert host.cores >= 1 and host.memory_bytes > 1 << 20 and host.kernel


def test_the_file_system_of_a_folder_is_known(tmp_path):
    storage = environment.storage(tmp_path)
    assert storage.file_system and storage.mount_options.startswith("r")


def test_a_line_of_mountinfo_is_read():
    mount = environment._parse_mount(ON_TOP)
    assert mount == environment.Mount("8:1", "/srv/my data", "xfs", "/dev/sda1", "rw,noatime,attr2")


def test_the_uppermost_mount_of_a_folder_counts(monkeypatch, tmp_path):
    lines = [ROOT, HIDDEN.replace("/srv/my\\040data", str(tmp_path)), ON_TOP.replace("/srv/my\\040data", str(tmp_path))]
    monkeypatch.setattr(environment.Path, "read_text", lambda *_, **__: "\n".join(lines))
    assert environment._mount_of(tmp_path).file_system == "xfs"
    assert environment._mount_of(tmp_path.parent).file_system == "ext4"


def test_a_mount_below_a_later_one_is_hidden(monkeypatch, tmp_path):
    """A device number tells which of them holds the folder."""
    lines = [
        ROOT,
        HIDDEN.replace("/srv/my\\040data", str(tmp_path)),
        ON_TOP.replace("/srv/my\\040data", str(tmp_path.parent)),
    ]
    monkeypatch.setattr(environment.Path, "read_text", lambda *_, **__: "\n".join(lines))
    for number, file_system in (("8:1", "xfs"), ("0:44", "tmpfs"), ("0:99", "tmpfs")):
        monkeypatch.setattr(environment, "_number_of", lambda path, number=number: number)
        assert environment._mount_of(tmp_path).file_system == file_system


def test_facts_are_none_where_proc_cannot_be_read(monkeypatch, tmp_path):
    def closed(*_, **__):
        raise PermissionError

    monkeypatch.setattr(environment.Path, "read_text", closed)
    assert environment.storage(tmp_path) == environment.StorageFacts()
    assert environment.host().memory_bytes is None


def test_a_tmpfs_has_no_disk():
    assert environment._disk_facts("0:44") == environment.DiskFacts()


def test_the_load_average_is_read():
    assert environment.load_average() >= 0
