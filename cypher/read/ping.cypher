// Answers when the database can.
RETURN 1 AS one
