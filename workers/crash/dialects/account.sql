SET SESSION sql_log_bin = 0;
DROP USER IF EXISTS '{account}'@'127.0.0.1';
CREATE USER '{account}'@'127.0.0.1' IDENTIFIED BY '{password}';
GRANT REPLICATION SLAVE ON *.* TO '{account}'@'127.0.0.1';
SET SESSION sql_log_bin = 1;
