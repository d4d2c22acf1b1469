-- The fleet's tables. The queue's own lie in the schema "dbos".
CREATE TABLE IF NOT EXISTS fleet_version (version int NOT NULL);

CREATE TABLE IF NOT EXISTS fleet_account (
    name text PRIMARY KEY,
    slots int NOT NULL CHECK (slots > 0),
    user_slots int CHECK (user_slots > 0),
    closed_until timestamptz,
    closed_why text
);

CREATE TABLE IF NOT EXISTS fleet_worker (
    executor text PRIMARY KEY,
    host text NOT NULL,
    slots int NOT NULL,
    version text NOT NULL,
    started timestamptz NOT NULL DEFAULT now(),
    beat timestamptz NOT NULL DEFAULT now()
);

-- `holder` is an executor; `token` rises with each claim; `jobs` counts how often it was queued; `edition` how often its
-- journal was rewritten; `logs` has how long each of its logs is.
CREATE TABLE IF NOT EXISTS fleet_loop (
    id text PRIMARY KEY,
    kind text NOT NULL,
    title text NOT NULL,
    account text NOT NULL REFERENCES fleet_account (name),
    owner text NOT NULL,
    priority int NOT NULL DEFAULT 0,
    remote text NOT NULL,
    base text NOT NULL,
    start text,
    author text NOT NULL,
    status text NOT NULL DEFAULT 'queued',
    token bigint NOT NULL DEFAULT 0,
    holder text,
    jobs int NOT NULL DEFAULT 0,
    journal_end bigint NOT NULL DEFAULT 0,
    edition int NOT NULL DEFAULT 0,
    logs jsonb NOT NULL DEFAULT '{}',
    branch text,
    result text,
    trouble text NOT NULL DEFAULT '',
    failures int NOT NULL DEFAULT 0,
    submitted timestamptz NOT NULL DEFAULT now(),
    changed timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS fleet_loop_holder ON fleet_loop (holder) WHERE holder IS NOT NULL;

-- Lines of a journal by their offset. Without gaps: `journal_end` of the loop is where they end.
CREATE TABLE IF NOT EXISTS fleet_journal (
    id text NOT NULL REFERENCES fleet_loop (id) ON DELETE CASCADE,
    at bigint NOT NULL,
    data bytea NOT NULL,
    token bigint NOT NULL,
    PRIMARY KEY (id, at)
);

-- Commands on runs. json, for jsonb takes not every text.
CREATE TABLE IF NOT EXISTS fleet_signal (
    n bigserial PRIMARY KEY,
    id text NOT NULL REFERENCES fleet_loop (id) ON DELETE CASCADE,
    command text NOT NULL,
    args json NOT NULL,
    actor text NOT NULL,
    made timestamptz NOT NULL DEFAULT now(),
    done timestamptz,
    answer json
);
CREATE INDEX IF NOT EXISTS fleet_signal_open ON fleet_signal (id, n) WHERE done IS NULL;

-- Transcripts by file and offset.
CREATE TABLE IF NOT EXISTS fleet_log (
    id text NOT NULL REFERENCES fleet_loop (id) ON DELETE CASCADE,
    name text NOT NULL,
    at bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (id, name, at)
);
