CREATE TABLE one (client INT NOT NULL, n BIGINT NOT NULL, part INT NOT NULL, PRIMARY KEY (client, n, part)) ENGINE={engine};
CREATE TABLE left_half (client INT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (client, n)) ENGINE={engine};
CREATE TABLE right_half (client INT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (client, n)) ENGINE={engine};
CREATE TABLE afterwards (n BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY) ENGINE={engine};
