// Small named values of the server itself.
CREATE CONSTRAINT server_record IF NOT EXISTS FOR (r:ServerRecord) REQUIRE r.name IS UNIQUE
