CREATE TABLE one (client INT NOT NULL, n BIGINT NOT NULL, part INT NOT NULL, digest BIGINT NOT NULL, PRIMARY KEY (client, n, part)) ENGINE={engine};
CREATE TABLE left_half (client INT NOT NULL, n BIGINT NOT NULL, digest BIGINT NOT NULL, PRIMARY KEY (client, n)) ENGINE={engine};
CREATE TABLE right_half (client INT NOT NULL, n BIGINT NOT NULL, digest BIGINT NOT NULL, PRIMARY KEY (client, n)) ENGINE={engine};
