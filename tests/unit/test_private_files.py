import stat

from dashboard.installation import home


def test_the_database_file_is_its_owners_only(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_SQLITE", str(tmp_path / "elsewhere.sqlite3"))
    assert stat.S_IMODE(home.database().stat().st_mode) == 0o600


def test_an_existing_database_keeps_its_mode_and_content(tmp_path, monkeypatch):
    path = tmp_path / "old.sqlite3"
    path.write_bytes(b"content")
    path.chmod(0o640)
    monkeypatch.setenv("DURASCOPE_SQLITE", str(path))
    assert stat.S_IMODE(home.database().stat().st_mode) == 0o640
    assert path.read_bytes() == b"content"


def test_a_home_and_its_secrets_are_their_owners_only(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path / "home"))
    home.secret("some_key", lambda: "x")
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home" / "some_key").stat().st_mode) == 0o600
