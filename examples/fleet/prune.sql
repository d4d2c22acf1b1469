-- Removes runs that ended 30 days ago: their journals, transcripts and commands, and the jobs that led to them.
--
--     psql "$LOOPWRIGHT_FLEET_URL" -v days=30 -f prune.sql
--
-- Fetch before that what you want to keep. Their branches stay on the remote.

\if :{?days}
\else
    \set days 30
\endif
BEGIN;
DELETE FROM fleet_loop WHERE status = 'finished' AND changed < now() - make_interval(days => :days);
DELETE FROM dbos.workflow_status WHERE name = 'drive' AND status IN ('SUCCESS', 'ERROR', 'CANCELLED')
    AND updated_at < extract(epoch FROM now() - make_interval(days => :days)) * 1000;
DELETE FROM dbos.workflow_input WHERE workflow_uuid NOT IN (SELECT workflow_uuid FROM dbos.workflow_status);
DELETE FROM dbos.workflow_output WHERE workflow_uuid NOT IN (SELECT workflow_uuid FROM dbos.workflow_status);
COMMIT;
