-- Three roles for the people and machines of a fleet, and what each needs of its database.
--
-- Run it as the owner of the tables, who needs CREATEROLE the first time, after `loopwright fleet init` and again after
-- each upgrade:
--
--     psql "$LOOPWRIGHT_FLEET_URL" -f roles.sql
--
-- A login is made with one of them, as in: CREATE ROLE ada LOGIN PASSWORD '…' IN ROLE loopwright_submitter;
--
-- Whoever owns the tables runs `fleet init` and `fleet accounts NAME --slots N`.

\set ON_ERROR_STOP on

DO $$
DECLARE role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['loopwright_viewer', 'loopwright_submitter', 'loopwright_worker'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role);
        END IF;
    END LOOP;
END $$;

-- Without this, everybody who reaches the database may call what queues a run.
REVOKE ALL ON SCHEMA dbos FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- `fleet status`, `fleet accounts`, and the figures at /metrics: neither journals nor what agents said.
GRANT SELECT ON fleet_version, fleet_account, fleet_worker, fleet_loop TO loopwright_viewer;

-- `submit`, `fetch` and commands on runs.
GRANT loopwright_viewer TO loopwright_submitter;
GRANT INSERT ON fleet_loop TO loopwright_submitter;
GRANT UPDATE (status, jobs, changed) ON fleet_loop TO loopwright_submitter;
GRANT SELECT, INSERT ON fleet_journal, fleet_signal TO loopwright_submitter;
GRANT SELECT ON fleet_log TO loopwright_submitter;
GRANT USAGE ON SEQUENCE fleet_signal_n_seq TO loopwright_submitter;
GRANT USAGE ON SCHEMA dbos TO loopwright_submitter;
GRANT SELECT, INSERT ON dbos.workflow_status, dbos.workflow_input TO loopwright_submitter;
GRANT UPDATE (updated_at) ON dbos.workflow_status TO loopwright_submitter;

-- `fleet worker`.
GRANT loopwright_viewer TO loopwright_worker;
GRANT UPDATE (closed_until, closed_why) ON fleet_account TO loopwright_worker;
GRANT INSERT, UPDATE, DELETE ON fleet_worker TO loopwright_worker;
GRANT UPDATE ON fleet_loop, fleet_signal TO loopwright_worker;
GRANT SELECT, INSERT, DELETE ON fleet_journal, fleet_log TO loopwright_worker;
GRANT SELECT ON fleet_signal TO loopwright_worker;
GRANT USAGE ON SCHEMA dbos TO loopwright_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA dbos TO loopwright_worker;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA dbos TO loopwright_worker;
