INSTALL ducklake; LOAD ducklake;
ATTACH 'ducklake:my_catalog.ducklake' AS my_lake (DATA_PATH 'data/files/', CATALOG 'my-catalog', CREATE_IF_NOT_EXISTS true);
USE my_lake;
CREATE TABLE test(id INTEGER, name VARCHAR);
INSERT INTO test VALUES (1, 'hello');
SELECT ducklake_fork_catalog('my-catalog', 'agent_workspace');
ATTACH 'ducklake:my_catalog.ducklake' AS workspace (CATALOG 'agent_workspace', DATA_PATH 'data/files/');
SELECT * FROM workspace.main.test;
