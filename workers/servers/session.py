"""What our own sessions need, whatever the server gives to a new session.

An owner's server may limit rows or time (`sql_select_limit`, `max_join_size`, `max_execution_time`), chain transactions
(`completion_type`), show rows that nobody committed or refuse writes (`transaction_isolation`,
`transaction_read_only`), close sessions soon (`wait_timeout`), answer in another language or parse SQL in another way.
Our statements count on none of it. DEFAULT would not help: it means the server's global value. `init_connect` has run
before, and may have left a transaction open.
"""

ROWS_WITHOUT_LIMIT = 2**64 - 1
NEEDED = {
    "autocommit": 1,
    "completion_type": "'NO_CHAIN'",
    "sql_select_limit": ROWS_WITHOUT_LIMIT,
    "sql_big_selects": 1,
    "sql_safe_updates": 0,
    "foreign_key_checks": 1,
    "unique_checks": 1,  # without both checks MariaDB fills an empty table in bulk, under a lock
    "sql_mode": "'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
    "time_zone": "'+00:00'",
    "wait_timeout": 28800,
    "lc_messages": "'en_US'",  # driver_errors reads privileges from messages
}
# The server's parser reads or skips a comment by its own version. MariaDB skips MySQL's from 50700 to 99999.
NEWER = (
    "/*!50708 , SESSION max_execution_time = 0 */"
    " /*M!100101 , SESSION max_statement_time = 0 */"
    " /*M!100300 , SESSION idle_transaction_timeout = 0 */"
)
NAMED = f"SET NAMES utf8mb4, {', '.join(f'SESSION {name} = {value}' for name, value in NEEDED.items())} {NEWER}"
# A statement of its own: no variable has one name in all versions. After a crash the engine rolls back for a while what
# was not committed, and READ UNCOMMITTED shows it. READ ONLY came with MySQL 5.6.5.
ISOLATED = "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ /*!50605 , READ WRITE */"
STATEMENTS = (NAMED, ISOLATED)
LEFT_OPEN = "ROLLBACK"
