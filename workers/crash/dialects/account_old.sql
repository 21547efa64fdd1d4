SET SESSION sql_log_bin = 0;
GRANT REPLICATION SLAVE ON *.* TO '{account}'@'127.0.0.1' IDENTIFIED BY '{password}';
SET SESSION sql_log_bin = 1;
