-- The agents' ids of their sessions, which are long and repeated.
CREATE TABLE sessions (
  seq  INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

-- Events, in the order in which the journal has them.
CREATE TABLE events (
  seq      INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  time     INTEGER NOT NULL,          -- microseconds since 1970
  agent    TEXT NOT NULL,
  session  INTEGER NOT NULL REFERENCES sessions,
  event    TEXT NOT NULL,
  tool     TEXT NOT NULL,
  decision TEXT NOT NULL,             -- what overseer decided
  call     BLOB,                      -- of asked tool calls and of completions, see ledger.Prepared
  completion INTEGER NOT NULL,        -- 1 if the event proves that a tool call ran
  prev     BLOB NOT NULL,             -- the journal line's hashes
  hash     BLOB NOT NULL,
  body     BLOB NOT NULL              -- the whole record, see ledger.Pack
);
CREATE INDEX events_session ON events (session);
CREATE INDEX events_decision ON events (decision) WHERE decision <> 'allow';
CREATE INDEX events_call ON events (call) WHERE call IS NOT NULL;

-- The words of each event, see ledger.Words. The words come lower-cased and
-- apart, so the tokenizer has nothing to decide.
CREATE VIRTUAL TABLE event_words USING fts5 (
  words, content='', contentless_delete=1, detail=none, tokenize="ascii"
);

-- What humans said of events. Of two outcomes of one event the later counts.
CREATE TABLE outcomes (
  seq      INTEGER PRIMARY KEY,
  id       TEXT NOT NULL,
  event_id TEXT NOT NULL,             -- need not be in events
  time     INTEGER NOT NULL,
  decision TEXT NOT NULL,
  by_whom  TEXT NOT NULL,
  source   TEXT NOT NULL,
  until    INTEGER,                   -- the end of an approval
  note     TEXT NOT NULL,
  prev     BLOB,                      -- the journal line; NULL for what follows from a completion
  hash     BLOB,
  body     BLOB,
  UNIQUE (event_id, id)
);
CREATE UNIQUE INDEX outcomes_completion ON outcomes (event_id) WHERE source = 'completion';
CREATE INDEX outcomes_until ON outcomes (until) WHERE until IS NOT NULL;

-- How far each journal was read, and the link of the last line read.
CREATE TABLE journals (
  name     TEXT PRIMARY KEY,
  segment  INTEGER NOT NULL,
  position INTEGER NOT NULL,
  link     TEXT NOT NULL
) WITHOUT ROWID;

-- Damage met in a journal. The damaged bytes stay in the journal.
CREATE TABLE faults (
  segment  INTEGER NOT NULL,
  position INTEGER NOT NULL,
  length   INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  id       TEXT NOT NULL,
  PRIMARY KEY (segment, position, kind)
) WITHOUT ROWID;
