SET SESSION sql_log_bin = 0;
DROP USER IF EXISTS 'durascope'@'localhost', 'durascope'@'127.0.0.1', 'mysql'@'localhost', ''@'localhost';
CREATE USER 'durascope'@'localhost' IDENTIFIED BY '{password}';
CREATE USER 'durascope'@'127.0.0.1' IDENTIFIED BY '{password}';
GRANT ALL PRIVILEGES ON *.* TO 'durascope'@'localhost' WITH GRANT OPTION;
GRANT ALL PRIVILEGES ON *.* TO 'durascope'@'127.0.0.1' WITH GRANT OPTION;
ALTER USER 'root'@'localhost' ACCOUNT LOCK;
