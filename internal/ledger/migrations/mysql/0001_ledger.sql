-- The ledger of a team on a server that speaks MySQL's protocol: Dolt, MariaDB,
-- MySQL. It means what the SQLite schema means. Every row follows from a journal
-- line alone and nothing is numbered by the server: a machine that takes the same
-- lines in on two branches of Dolt makes the same rows, which merge.

-- Events. "at" is the order of all that was taken in: its time, see writer.order.
CREATE TABLE IF NOT EXISTS events (
  id         VARCHAR(64) NOT NULL PRIMARY KEY,
  at         BIGINT NOT NULL,          -- microseconds since 1970
  time       BIGINT NOT NULL,
  machine    VARCHAR(128) NOT NULL,
  user       VARCHAR(128) NOT NULL,
  agent      VARCHAR(255) NOT NULL,
  session    VARCHAR(255) NOT NULL,
  event      VARCHAR(255) NOT NULL,
  tool       VARCHAR(255) NOT NULL,
  decision   VARCHAR(32) NOT NULL,     -- what overseer decided
  tool_call  VARBINARY(16),            -- of asked tool calls and of completions, see ledger.Prepared
  completion TINYINT NOT NULL,         -- 1: the event proves that a tool call ran, 2: that it was refused
  prev       VARBINARY(32) NOT NULL,   -- the journal line's hashes
  hash       VARBINARY(32) NOT NULL,
  link       VARBINARY(32),            -- of a line that stands for others (journal.Record.Was), else NULL
  body       MEDIUMBLOB NOT NULL,      -- the whole record, see ledger.Pack
  KEY events_at (at),
  KEY events_session (session, at),
  KEY events_decision (decision, at),
  KEY events_call (tool_call)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The words of each event with a space around each, see ledger.Words.
CREATE TABLE IF NOT EXISTS event_words (
  at       BIGINT NOT NULL,
  event_id VARCHAR(64) NOT NULL,
  words    VARCHAR(12800) NOT NULL,    -- 256 words of 48 bytes
  PRIMARY KEY (at, event_id)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What humans said of events. Of two outcomes of one event the later counts.
CREATE TABLE IF NOT EXISTS outcomes (
  event_id VARCHAR(64) NOT NULL,       -- need not be in events
  id       VARCHAR(64) NOT NULL,
  at       BIGINT NOT NULL,
  time     BIGINT NOT NULL,
  machine  VARCHAR(128) NOT NULL,
  user     VARCHAR(128) NOT NULL,
  decision VARCHAR(32) NOT NULL,
  by_whom  VARCHAR(255) NOT NULL,
  source   VARCHAR(64) NOT NULL,
  until    BIGINT,                     -- the end of an approval
  note     TEXT NOT NULL,
  prev     VARBINARY(32),              -- the journal line; NULL for what follows from a completion
  hash     VARBINARY(32),
  link     VARBINARY(32),
  body     MEDIUMBLOB,
  PRIMARY KEY (event_id, id),
  KEY outcomes_at (at),
  KEY outcomes_id (id),
  KEY outcomes_until (until),
  KEY outcomes_time (time)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- How far each machine's journal was read. Progress is a new row in place of the
-- old one and not a change of it, so that two branches never conflict over it;
-- after a merge the furthest row counts.
CREATE TABLE IF NOT EXISTS places (
  machine  VARCHAR(128) NOT NULL,
  segment  BIGINT NOT NULL,
  position BIGINT NOT NULL,
  link     VARCHAR(128) NOT NULL,      -- of the last line read
  at       BIGINT NOT NULL,            -- of the last event taken in
  PRIMARY KEY (machine, segment, position)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Checkpoints, and the lines that stand where lines were.
CREATE TABLE IF NOT EXISTS marks (
  id       VARCHAR(64) NOT NULL PRIMARY KEY,
  at       BIGINT NOT NULL,
  kind     VARCHAR(32) NOT NULL,       -- checkpoint or removed
  time     BIGINT NOT NULL,
  machine  VARCHAR(128) NOT NULL,
  user     VARCHAR(128) NOT NULL,
  prev     VARBINARY(32) NOT NULL,
  hash     VARBINARY(32) NOT NULL,
  link     VARBINARY(32),
  body     MEDIUMBLOB NOT NULL
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Damage met in a machine's journal, whatever place it has moved to, and the
-- checkpoint that settled it. The damaged bytes stay in the journal.
CREATE TABLE IF NOT EXISTS faults (
  machine   VARCHAR(128) NOT NULL,
  fault_key VARCHAR(32) NOT NULL,      -- journal.Fault.Key
  segment   BIGINT NOT NULL,
  position  BIGINT NOT NULL,
  kind      VARCHAR(32) NOT NULL,
  length    BIGINT NOT NULL,
  id        VARCHAR(64) NOT NULL,
  expected  VARCHAR(128) NOT NULL,
  link      VARCHAR(128) NOT NULL,
  settled   VARCHAR(64) NOT NULL,
  PRIMARY KEY (machine, fault_key)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
