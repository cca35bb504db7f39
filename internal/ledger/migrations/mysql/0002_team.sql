-- What the machines of a team have in common: the key that signatures of actions
-- are made with, so that one's ruling is known again on another.
CREATE TABLE IF NOT EXISTS team (
  name  VARCHAR(64) NOT NULL PRIMARY KEY,
  value VARBINARY(255) NOT NULL
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
