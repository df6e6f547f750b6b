-- Whether an entity is gone is known without a look at all of them.
CREATE INDEX entity_gone ON entity (id) WHERE state = 0;
-- When a follower's position was last saved, epoch milliseconds; 0 before this
-- was kept.
ALTER TABLE follower ADD COLUMN saved INTEGER NOT NULL DEFAULT 0;
