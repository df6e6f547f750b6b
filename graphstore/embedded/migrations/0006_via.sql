-- The URN of the query that an edge comes from; NULL if its aspect names none.
ALTER TABLE edge ADD COLUMN via TEXT;
ALTER TABLE ended_edge ADD COLUMN via TEXT;
