-- When a rollback made a statement current again that had ended, and who rolled back;
-- NULL if it was never so.
ALTER TABLE edge ADD COLUMN resumed INTEGER;
ALTER TABLE edge ADD COLUMN resumed_actor INTEGER;
ALTER TABLE ended_edge ADD COLUMN resumed INTEGER;
ALTER TABLE ended_edge ADD COLUMN resumed_actor INTEGER;
