-- The link of a line that stands for others (journal.Record.Was); NULL where it is
-- the hash.
ALTER TABLE events ADD COLUMN link BLOB;
ALTER TABLE outcomes ADD COLUMN link BLOB;

-- Checkpoints, and the lines that stand where lines were.
CREATE TABLE marks (
  seq  INTEGER PRIMARY KEY,
  id   TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,                 -- checkpoint or removed
  time INTEGER NOT NULL,
  prev BLOB NOT NULL,                 -- the journal line
  hash BLOB NOT NULL,
  link BLOB,
  body BLOB NOT NULL
);

-- What the damage is, wherever it has moved to, and the checkpoint that settled it.
ALTER TABLE faults ADD COLUMN expected TEXT NOT NULL DEFAULT '';
ALTER TABLE faults ADD COLUMN link TEXT NOT NULL DEFAULT '';
ALTER TABLE faults ADD COLUMN fault_key TEXT NOT NULL DEFAULT '';
ALTER TABLE faults ADD COLUMN settled TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX faults_key ON faults (fault_key) WHERE fault_key <> '';
