"""Faults that change nothing that anybody could see, each with its reason. They are not tried and not counted.

File -> (before, after) as `tests.bench.mutation` prints them -> reason. A test holds that each is still a fault of its
file (tests/unit/test_mutants.py).
"""

from collections.abc import Mapping

EQUAL_LENGTHS = "both sides are always equally long: `strict` finds only a mistake of ours"
ANY_NEGATIVE = "numpy works out the size of an axis for any negative number"
SPEED = "it decides how much is done at once, not what"
UNNAMED = "a transaction without a GTID is never named by its source"
PATIENCE = "how long to wait is a choice: more patience finds the same"
DRAWS = "any draws of the same noise will do; they are fixed so that an answer does not change"
FALSY = "it is only asked whether there is any"
BOUND = "a bound against answers without end: no true answer comes near it"
A_UUID_SAYS_ALL = "a server with a uuid is known by it: the other parts are the same in every name with a uuid"
NO_FLAVOUR = "no flavour has this word in its versions"
EXACTLY_THEN = "it is never asked at exactly that moment"
LAYOUT = "spaces in a file that Durascope reads as JSON"
CHOICE = "how many are looked at is a choice: the result says how many were not"
SIZES = "which loads are tried is a choice: the result tells their sizes"
ONE_CHECK = "a state of a small history has one check, and no other state has that one"
STRICT = {("strict=True", "strict=False"): EQUAL_LENGTHS}

EQUIVALENT: Mapping[str, Mapping[tuple[str, str], str]] = {
    "workers/crash/checks.py": {
        ("return ''", "return None"): FALSY,
        (
            "(client_of(last) == client_of(missing)) & (last > missing)",
            "(client_of(last) == client_of(missing)) & (last >= missing)",
        ): "what is missing is not there",
    },
    "workers/crash/compare_tables.py": {
        ("WRITES_AFTER = 1000", "WRITES_AFTER = 1001"): "any client beyond those of the witness will do",
        ("WRITES_ON = 1002", "WRITES_ON = 1003"): "any client beyond those of the witness will do",
        ("-1", "-2"): ANY_NEGATIVE,
        (
            "client if 0 <= client < MOST_CLIENTS else NOBODY",
            "client if 0 <= client <= MOST_CLIENTS else NOBODY",
        ): "`keys_found` looks at the bound again; here a number only has to fit 64 bits",
    },
    "workers/crash/attached.py": {
        ("ANSWER_S = 5.0", "ANSWER_S = 6.0"): PATIENCE,
        ("time.sleep(POLL_S)", "pass"): SPEED,
        ("return False", "return None"): FALSY,
    },
    "workers/crash/judge.py": {
        (
            "recovered.recovery.log_lines if recovered.recovery else ()",
            "recovered.recovery.log_lines if True else ()",
        ): "a server that answers has recovered",
    },
    "workers/crash/inspect.py": {
        ("first: str = ''", "first: str = 'x'"): "no file has that name, so all files count",
        ("seconds=600.0", "seconds=601.0"): PATIENCE,
        ("256 << 20", "257 << 20"): BOUND,
        ("256 << 20", "256 << 21"): BOUND,
    },
    "workers/crash/replica_check.py": {("return ''", "return None"): FALSY},
    "workers/crash/own_load.py": STRICT
    | {
        ("made.get(name, '')", "made.get(name, 'x')"): "neither is the name of an engine",
        ("len(rows) > 1", "len(rows) > 2"): "with a BEGIN there are three: a row and a COMMIT follow",
        ("digest_size=8", "digest_size=9"): "any seed will do that writer and judge share",
        ("return 'whole'", "return None"): "it is only asked whether it is there in part or altered",
        ("return False", "return None"): FALSY,
    },
    "workers/crash/points/violations.py": {
        ("MOST = 8", "MOST = 9"): CHOICE,
        ("MOST_COMPARED = 8", "MOST_COMPARED = 9"): CHOICE,
        ("EXAMINE_S = 60.0", "EXAMINE_S = 61.0"): PATIENCE,
        ("MOST_KEPT = 4", "MOST_KEPT = 5"): CHOICE,
    },
    "workers/crash/points/exhaust.py": {
        (
            "story, kept = _alone(begun, history, ends, ports, is_wrong if keeps else is_none)",
            "pass",
        ): "Python refuses it: an inner function changes `kept`",
        ("MOST_SUBSETS = 64", "MOST_SUBSETS = 65"): CHOICE,
        ("return False", "return None"): FALSY,
        ("monotonic() > ends", "monotonic() >= ends"): EXACTLY_THEN,
        ("drawn.getrandbits(1)", "drawn.getrandbits(2)"): "any subsets will do",
        ("len(writes) + 1", "len(writes) + 2"): "no subset has more writes than there are",
    },
    "workers/crash/points/smallest.py": {
        ("MOST_PLAYED = 8", "MOST_PLAYED = 9"): CHOICE,
        (
            "any((check.says.startswith(began) for check in state.checks))",
            "all((check.says.startswith(began) for check in state.checks))",
        ): ONE_CHECK,
    },
    "workers/crash/points/story.py": {
        ("FIRST_UNTRIED = 25", "FIRST_UNTRIED = 26"): CHOICE,
        (
            "any((one.key == HISTORY for one in self.checks))",
            "all((one.key == HISTORY for one in self.checks))",
        ): ONE_CHECK,
    },
    "workers/crash/points/neighbours.py": STRICT,
    "workers/crash/points/attempts.py": {("TELL_S = 0.5", "TELL_S = 1.5"): PATIENCE},
    "workers/crash/points/shrink.py": STRICT
    | {
        ("init=False", "init=True"): "nobody gives it",
        ("_sector(old, at) != _sector(wrong, at)", "True"): "a sector that is the same decides nothing: " + SPEED,
        (
            "monotonic() > ends or searched == MOST or self.compared == MOST_COMPARED",
            "monotonic() >= ends or searched == MOST or self.compared == MOST_COMPARED",
        ): EXACTLY_THEN,
    },
    "workers/crash/points/steps.py": STRICT,
    "workers/crash/points/other_settings.py": STRICT,
    "workers/crash/points/shortest.py": {
        ("(3, 2)", "(4, 2)"): SIZES,
        ("(3, 2)", "(3, 3)"): SIZES,
        ("(3, 5)", "(4, 5)"): SIZES,
        ("(3, 5)", "(3, 6)"): SIZES,
        ("MOST_POINTS = 40", "MOST_POINTS = 41"): CHOICE,
        ("LIMIT_S = 60.0", "LIMIT_S = 61.0"): PATIENCE,
        ("(10.0, 5.0)", "(11.0, 5.0)"): PATIENCE,
        ("(10.0, 5.0)", "(10.0, 6.0)"): PATIENCE,
        ("monotonic() > ends - LAST_LOAD_S", "monotonic() >= ends - LAST_LOAD_S"): EXACTLY_THEN,
        ("lambda: monotonic() > ends", "lambda: monotonic() >= ends"): EXACTLY_THEN,
        (
            "isinstance(failed, DurascopeError) or monotonic() > ends",
            "isinstance(failed, DurascopeError) or monotonic() >= ends",
        ): EXACTLY_THEN,
    },
    "workers/crash/points/recorded.py": STRICT
    | {
        ("POLL_S = 0.05", "POLL_S = 1.05"): PATIENCE,
        ("QUIET_S = 1.0", "QUIET_S = 2.0"): PATIENCE,
        ("1 << 30", "2 << 30"): "how large a recording may be is a choice",
        ("1 << 30", "1 << 31"): "how large a recording may be is a choice",
    },
    "workers/crash/points/play.py": STRICT
    | {
        ("len(self.statements) + 1", "len(self.statements) + 2"): "no choice has more statements than there are",
    },
    "workers/topology/cause.py": {
        (
            "topology.position if fault.of_replica else ''",
            "topology.position if fault.of_replica else 'x'",
        ): "neither is a place of a position",
        ("topology.replicas + 1", "topology.replicas + 2"): "a fault strikes named replicas of the topology, or all",
    },
    "workers/transaction/predict.py": STRICT
    | {
        (
            "{'BIGINT': 64, 'INT': 32, 'INTEGER': 32, 'MEDIUMINT': 24, 'SMALLINT': 16, 'TINYINT': 8}",
            "{'BIGINT': 65, 'INT': 32, 'INTEGER': 32, 'MEDIUMINT': 24, 'SMALLINT': 16, 'TINYINT': 8}",
        ): "every number of a file fits a BIGINT",
        ("SHORTEST_TEXT = 65535 // 4", "SHORTEST_TEXT = 65535 * 4"): BOUND,
        ("65535 // 4", "65536 // 4"): BOUND,
        ("65535 // 4", "65535 // 5"): BOUND,
        ("twice[0]", "twice[1]"): "each of them is there twice",
        (
            "marks.index(')') if ')' in marks else 0",
            "marks.index(')') if ')' in marks else 1",
        ): "neither place is before VALUES",
    },
    "workers/topology/chain.py": {
        ("LOG_LINES = 200", "LOG_LINES = 201"): "how many lines of a log are kept is a choice",
        (
            "times <= self.since_load_s(self.promoted_at)",
            "times < self.since_load_s(self.promoted_at)",
        ): EXACTLY_THEN,
    },
    "workers/topology/semi_sync_status.py": {("ANSWER_S = 5.0", "ANSWER_S = 6.0"): PATIENCE},
    "workers/topology/reader.py": {
        ("LAST_ANSWER_S = 0.1", "LAST_ANSWER_S = 1.1"): PATIENCE,
        ("self._newest.get(number, 0)", "self._newest.get(number, 1)"): "no transaction has the number 0",
    },
    "workers/topology/reconnected.py": {
        ("FIRST = 4096", "FIRST = 4097"): "any number beyond those of the clients before the fault will do",
        ("SPAN = 4096", "SPAN = 4097"): "no client connects so often",
    },
    "workers/topology/kinds/following/rejoin.py": {
        ("LIMIT_S = 120.0", "LIMIT_S = 121.0"): PATIENCE,
        (
            "(named > 0) & (client_of(named) < FIRST)",
            "(named >= 0) & (client_of(named) < FIRST)",
        ): "no transaction has the key 0",
    },
    "workers/topology/kinds/following/following.py": STRICT
    | {
        ("LIMIT_S = 120.0", "LIMIT_S = 121.0"): PATIENCE,
        ("GO_ON_S = 0.2", "GO_ON_S = 1.2"): PATIENCE,
        ("return ''", "return None"): FALSY,
    },
    "workers/topology/kinds/cluster/rejoin.py": STRICT
    | {
        ("SAME_GTIDS_S = 60.0", "SAME_GTIDS_S = 61.0"): PATIENCE,
        ("promoted.ports.sleep(POLL_S)", "pass"): SPEED,
        ("promoted.ports.clock() > deadline", "promoted.ports.clock() >= deadline"): EXACTLY_THEN,
    },
    "workers/topology/kinds/cluster/membership.py": {
        ("return False", "return None"): FALSY,
        ("(90.0, 0.02)", "(91.0, 0.02)"): PATIENCE,
        ("(90.0, 0.02)", "(90.0, 1.02)"): PATIENCE,
        ("-8", "-9"): "how many lines of a log are told is a choice",
    },
    "workers/topology/updates.py": {("ANSWER_S = 2.0", "ANSWER_S = 3.0"): PATIENCE},
    "workers/topology/takeover.py": {
        ("AFTER_S = 0.2", "AFTER_S = 1.2"): PATIENCE,
        ("POLL_S = 0.02", "POLL_S = 1.02"): PATIENCE,
        (
            "clock() < (every or first) and (not after.all_answered())",
            "clock() <= (every or first) and (not after.all_answered())",
        ): EXACTLY_THEN,
    },
    "workers/servers/ask.py": STRICT,
    "workers/servers/dump/copy.py": {("LOOK_S = 60.0", "LOOK_S = 61.0"): PATIENCE},
    "workers/servers/flavours.py": {
        ("(0, 0, 0)", "(0, 1, 0)"): "no server is so old",
        ("(999, 0, 0)", "(999, 1, 0)"): "no server is so new",
        ("(999, 0, 0)", "(999, 0, 1)"): "no server is so new",
    },
    "workers/servers/hosts.py": {("(outside, 9)", "(outside, 10)"): "nothing is sent: any port will do"},
    "workers/servers/identity.py": {
        ("server_id: str = ''", "server_id: str = 'x'"): A_UUID_SAYS_ALL,
        ("hostname: str = ''", "hostname: str = 'x'"): A_UUID_SAYS_ALL,
        ("port: str = ''", "port: str = 'x'"): A_UUID_SAYS_ALL,
        (
            "ServerName('', *(found.get(name, '') for name in ServerName._fields[1:]))",
            "ServerName('x', *(found.get(name, '') for name in ServerName._fields[1:]))",
        ): "all names without a uuid have the same word there, and no uuid is that word",
    },
    "workers/servers/look.py": {
        ("variables.get('version_comment', '')", "variables.get('version_comment', 'x')"): NO_FLAVOUR,
    },
    "workers/servers/owners_file.py": {
        ("LIMIT_S = 5.0", "LIMIT_S = 6.0"): PATIENCE,
        ("OSError(0, 'it is empty')", "OSError(1, 'it is empty')"): "only the sentence of the error is read",
    },
    "workers/servers/pasted/named_version.py": {("NEWEST = 999", "NEWEST = 1000"): "no release has such a number"},
    "workers/servers/pasted/read.py": {
        ("values.get('version_comment', '')", "values.get('version_comment', 'x')"): NO_FLAVOUR,
    },
    "workers/servers/preflight.py": {
        ("(60.0, 64 << 20)", "(61.0, 64 << 20)"): PATIENCE,
        ("64 << 20", "64 << 21"): BOUND,
    },
    "workers/servers/schema.py": {("(0,)", "(1,)"): "neither is the number of that error"},
    "workers/servers/undo.py": {
        ("(600.0, 16 << 20)", "(601.0, 16 << 20)"): PATIENCE,
        ("16 << 20", "17 << 20"): BOUND,
        ("16 << 20", "16 << 21"): BOUND,
    },
    "workers/servers/variables.py": {("SETTLES_S = 2.0", "SETTLES_S = 3.0"): PATIENCE},
    "workers/crash/ledger.py": {
        ("return ''", "return None"): FALSY,
        ("seal: str = ''", "seal: str = 'x'"): "neither is the seal of any ledger",
        ("assume_unique=True", "assume_unique=False"): "no number is there twice: " + SPEED,
    },
    "workers/crash/made.py": {
        ("daemon=True", "daemon=False"): "the block waits for the thread in any case",
    },
    "workers/crash/replica.py": {
        ("values.get(name, '')", "values.get(name, 'x')"): "neither is ON",
        ("LIMIT_S = 120.0", "LIMIT_S = 121.0"): PATIENCE,
        ("FOLLOW_S = 60.0", "FOLLOW_S = 61.0"): PATIENCE,
    },
    "workers/crash/dialects/__init__.py": {("return ''", "return None"): FALSY},
    "workers/crash/replica_link.py": {
        ("POLL_S = 0.02", "POLL_S = 1.02"): PATIENCE,
        ("STOPS_S = 90.0", "STOPS_S = 91.0"): PATIENCE,
        ("time.sleep(POLL_S)", "pass"): SPEED,
        ("time.monotonic() > deadline", "time.monotonic() >= deadline"): EXACTLY_THEN,
        ("return ''", "return None"): FALSY,
        (
            "ask.text(follower, self.dialect.own) if self.dialect.own else ''",
            "ask.text(follower, self.dialect.own) if self.dialect.own else 'x'",
        ): "no server is a source of that name",
    },
    "workers/crash/witness.py": {
        ("POLL_MS = 20", "POLL_MS = 21"): PATIENCE,
        ("JOIN_S = 60.0", "JOIN_S = 61.0"): PATIENCE,
        ("self._stop(0.0)", "self._stop(1.0)"): PATIENCE,
        ("quiet_s * 1000", "quiet_s * 1001"): PATIENCE,
        ("5", "6"): PATIENCE,
    },
    "workers/crash/transactions.py": STRICT
    | {
        ("keys >= 0", "keys >= 1"): "no transaction has the number 0",
        (
            "known & (places >= 0) & (keys >= 0)",
            "known & (places >= 0) & (keys > 0)",
        ): "no transaction has the number 0",
        (
            "np.where(inside, nth, 0)",
            "np.where(inside, nth, 1)",
        ): "the place of a row outside is none, whatever is read",
        ("-1", "-2"): "any negative place is none; " + ANY_NEGATIVE,
    },
    "workers/crash/digest.py": STRICT | {("AT_ONCE = 8192", "AT_ONCE = 8193"): SPEED},
    "workers/crash/evidence.py": {
        ("prepend=values[:1] - 1", "prepend=values[:1] + 1"): "any number will do that is not the first value",
        ("values[:1] - 1", "values[:1] - 2"): "any number will do that is not the first value",
        ("gtid_before: str = ''", "gtid_before: str = 'x'"): "every trial says it; no check reads it",
    },
    "workers/crash/points/lane.py": STRICT
    | {("secrets.token_hex(4)", "secrets.token_hex(5)"): "a folder that is not there yet may have any name"},
    "workers/crash/binlog/bounds.py": {
        ("time.monotonic() >= self._until_s", "time.monotonic() > self._until_s"): EXACTLY_THEN,
    },
    "workers/crash/binlog/payload.py": {
        (
            "read_across_frames=True",
            "read_across_frames=False",
        ): "`_exactly` reads again, and the unpacker goes on with the next frame",
        (
            "HEADER_BYTES <= length <= MOST_EVENT_BYTES",
            "HEADER_BYTES <= length < MOST_EVENT_BYTES",
        ): BOUND,
    },
    "workers/crash/points/server_content.py": {("16 << 20", "16 << 21"): BOUND, ("16 << 20", "17 << 20"): BOUND},
    "workers/crash/points/untried.py": STRICT | {("64 << 20", "64 << 21"): BOUND, ("64 << 20", "65 << 20"): BOUND},
    "workers/crash/points/export/contents.py": STRICT | {("indent=1", "indent=2"): LAYOUT},
    "workers/crash/points/export/history.py": {("indent=1", "indent=2"): LAYOUT},
    "workers/crash/points/export/write.py": STRICT
    | {
        ("32 << 20", "32 << 21"): "how large an archive may be is a choice",
        ("32 << 20", "33 << 20"): "how large an archive may be is a choice",
        ("state.until_ns - 1", "state.until_ns - 2"): EXACTLY_THEN,
    },
    "workers/crash/reconnecting.py": {
        ("POLL_S = 0.02", "POLL_S = 1.02"): PATIENCE,
        ("AFTER_S = 0.2", "AFTER_S = 1.2"): PATIENCE,
        ("MOST_CONNECTIONS = 2000", "MOST_CONNECTIONS = 2001"): BOUND,
    },
    "workers/crash/setup_and_result.py": {("points_s: float = 3600", "points_s: float = 3601"): PATIENCE},
    "workers/crash/binlog/events.py": {
        ("wanted *= 2", "wanted *= 3"): SPEED,
        ("self._size = 0", "pass"): "`batches` looks at the file before anybody asks for its size",
        ("self._size = 0", "self._size = 1"): "`batches` looks at the file before anybody asks for its size",
        (
            "self.end = 'open' if HEADER_BYTES <= length <= self._size - base - at else 'torn'",
            "pass",
        ): "the next blocks find the same: " + SPEED,
        (
            "'open' if HEADER_BYTES <= length <= self._size - base - at else 'torn'",
            "'open' if True else 'torn'",
        ): "the next blocks find the same: " + SPEED,
        (
            "self._size - base - at",
            "self._size + base - at",
        ): "the next blocks find the same: " + SPEED,
        (
            "HEADER_BYTES <= length <= self._size - base - at",
            "HEADER_BYTES < length <= self._size - base - at",
        ): "an event that is nothing but a header is whole when its header is",
        (
            "HEADER_BYTES <= length <= self._size - base - at",
            "HEADER_BYTES <= length <= self._size - base + at",
        ): "the next block begins at the event, and finds that it is cut off",
    },
    "workers/crash/binlog/groups.py": {
        ("TABLE_BITS = 2", "TABLE_BITS = 3"): "two bits name three tables, and three bits do, too",
        ("self._file = ''", "pass"): "`begin_file` comes before the first event",
        ("self._file = ''", "self._file = 'x'"): "`begin_file` comes before the first event",
        ("self.event = b''", "pass"): "`take` names the event before anybody asks for it",
        ("(NO_GTID, 0)", "(NO_GTID, 1)"): "nobody asks for the number of a transaction without a GTID",
        ("(ANONYMOUS, 0)", "(ANONYMOUS, 1)"): "nobody asks for the number of a transaction without a GTID",
        ("if event.endswith(statements.BEGIN)", "if False"): SPEED,
        ("if event[FLAGS_AT] & STATEMENT_ENDS and len(self._maps) == 1", "if False"): SPEED,
    },
    "workers/crash/binlog/names.py": {
        ("-1", "-2"): "it only has to be less than the number of any field",
        ("GtidSource('', '')", "GtidSource('x', '')"): UNNAMED,
        ("GtidSource('', '')", "GtidSource('', 'x')"): UNNAMED,
        (
            "(_slice(event, at, size).decode('ascii'), at + size)",
            "(_slice(event, at, size).decode('ascii'), at - size)",
        ): "nothing is read after the tag",
    },
    "workers/crash/binlog/sequence.py": STRICT
    | {("-1", "-2"): ANY_NEGATIVE, ("-2", "-3"): "any number will do that is no key"},
    "workers/crash/binlog/reader.py": STRICT
    | {
        ("Groups('')", "Groups('x')"): "all transactions are counted, whatever their schema",
        ("16 << 20", "17 << 20"): BOUND,
        ("16 << 20", "16 << 21"): BOUND,
        ("refused: str = ''", "refused: str = 'x'"): "`read` says it of every file",
    },
    "dashboard/findings/crash/durability.py": {
        ("known.get(name, '')", "known.get(name, 'x')"): "a missing setting is the same word in every key",
    },
    "dashboard/findings/crash/self_test.py": {
        ("{'': _of_family(())}", "{'x': _of_family(())}"): "a lone family is not named",
    },
    "dashboard/findings/crash/why.py": {
        (
            "settings.get('binlog_storage_engine', '')",
            "settings.get('binlog_storage_engine', 'x')",
        ): "neither is the name of an engine",
    },
    "dashboard/findings/crash/finding.py": {
        (
            "speed and pair.ratio.decision == 'differs' and (pair.ratio.value > 1)",
            "speed and pair.ratio.decision == 'differs' and (pair.ratio.value >= 1)",
        ): "a ratio that differs from 1 is not 1",
    },
    "dashboard/findings/crash/missing.py": STRICT
    | {
        ("2 if count < 10 else 3", "2 if count <= 10 else 3"): "10 has been written as a whole number",
        ("hit[0]", "hit[1]"): "all trials of a setting under one crash have its kind",
        ("count < 1000", "count < 1001"): "1,000 has three digits that count, whoever writes it",
        (
            "count == int(count) and count < 1000",
            "count == int(count) and count <= 1000",
        ): "1,000 has three digits that count, whoever writes it",
    },
    "workers/analysis/blocks.py": {("-1", "-2"): ANY_NEGATIVE},
    "workers/analysis/contradiction.py": {("return ''", "return None"): FALSY},
    "workers/analysis/fsync_model.py": STRICT
    | {
        ("RESAMPLES = 1000", "RESAMPLES = 1001"): DRAWS,
        ("points[0]", "points[1]"): "all sizes have the same rounds by then",
    },
    "workers/analysis/lasting.py": {
        ("SEED = 1976", "SEED = 1977"): DRAWS,
        ("size <= EACH_SIZE", "size < EACH_SIZE"): "no step of a tenth leads from the size to itself",
        ("(40, 400)", "(40, 401)"): "no step of a tenth lies between 400 and 401",
    },
    "workers/analysis/scaling_law.py": {
        ("RESAMPLES = 500", "RESAMPLES = 501"): DRAWS,
        (
            "fitted * np.exp(spreads * rng.normal(size=(RESAMPLES, threads.size)))",
            "fitted / np.exp(spreads * rng.normal(size=(RESAMPLES, threads.size)))",
        ): "the noise is as often above as below: " + DRAWS,
    },
    "workers/analysis/stalls.py": STRICT,
    "workers/analysis/student.py": STRICT,
    "workers/analysis/predicates/measured.py": STRICT,
    "workers/analysis/statistics.py": {
        ("SEED = 20170", "SEED = 20171"): DRAWS,
        ("np.empty(0)", "np.empty(1)"): "both are too few repeats",
        (
            "self.lo is None or self.hi is None",
            "self.lo is None and self.hi is None",
        ): "an interval has both ends or none",
    },
    "workers/upkeep/restores.py": {("COMMAND_LIMIT_S = 120.0", "COMMAND_LIMIT_S = 121.0"): PATIENCE},
    "workers/analysis/predicates/points.py": STRICT,
    "workers/analysis/steady.py": {
        ("p >= LEVEL", "p > LEVEL"): "no trend has exactly that p",
        ("{0: series}", "{1: series}"): "the number of a single series is not asked for",
        ("d is not None", "True"): "where a drift is not known, None has been returned before",
    },
    "workers/analysis/change_points.py": STRICT
    | {
        ("if as_large >= too_many", "if False"): "the p is above the level either way: " + SPEED,
        (
            "2 / comb(n, n // 2) <= LEVEL",
            "2 / comb(n, n // 2) < LEVEL",
        ): "no number of values is as rare as exactly 1 of 100",
        ("as_large >= too_many", "as_large > too_many"): "the p is above the level either way, and is not told then",
    },
}
