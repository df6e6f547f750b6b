-- What was before a version: the run of the version that it replaced, and when and by
-- whom the aspect was first written since it was last absent. NULL where there was
-- nothing before, and in versions from before this was kept.
ALTER TABLE latest ADD COLUMN last_run INTEGER;
ALTER TABLE latest ADD COLUMN made_on INTEGER;
ALTER TABLE latest ADD COLUMN made_by INTEGER;
ALTER TABLE version ADD COLUMN last_run INTEGER;
ALTER TABLE version ADD COLUMN made_on INTEGER;
ALTER TABLE version ADD COLUMN made_by INTEGER;
