-- For the newest rulings, see Store.Rulings.
CREATE INDEX outcomes_time ON outcomes (time);
-- A call is refused once.
CREATE UNIQUE INDEX outcomes_refusal ON outcomes (event_id) WHERE source = 'refusal';
