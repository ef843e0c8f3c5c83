-- Statistics of columns, of rows that are inlined and in files.

CREATE TABLE st (b BOOLEAN, i INTEGER, u UBIGINT, d DECIMAL(18, 2), s VARCHAR, dt DATE, ts TIMESTAMP, tz TIMESTAMPTZ, l INTEGER[], st STRUCT(i INTEGER, s VARCHAR), m MAP(VARCHAR, INTEGER), uu UUID, iv INTERVAL)

INSERT INTO st VALUES (true, 5, 7, 1.5, 'a long text é', '2020-01-01', '2020-01-01 01:02:03', '2020-01-01 01:02:03+00', [3, 9], {'i': 4, 's': 'it''s, é'}, MAP {'k': 1}, '550e8400-e29b-41d4-a716-446655440000', INTERVAL 1 DAY)

SELECT stats(b), stats(i), stats(u), stats(d), stats(s), stats(dt), stats(ts), stats(tz), stats(l), stats(st), stats(m), stats(uu), stats(l[1]), stats(st.i), stats(st.s), stats(m['k']), stats(s || 'x') FROM st

INSERT INTO st (i, l, st) VALUES (NULL, [NULL, -2], {'i': NULL, 's': 'b'}), (-3, NULL, NULL)


INSERT INTO st (i, s, l) SELECT i, 'f' || i, [i] FROM range(100) t(i)

SELECT DISTINCT stats(i), stats(s), stats(l[1]), stats(b) FROM st

-- Functions of UUIDs.

SELECT uuid_extract_version('550e8400-e29b-41d4-a716-446655440000'), uuid_extract_version(uuidv7()), uuid_extract_version(uuid()), uuid_extract_version(NULL), uuid_extract_timestamp('0193b9c9-9efc-7db2-82e5-3b8e24a5cb2c'), uuid_extract_timestamp(uuidv7()) > now() - INTERVAL 1 HOUR AS is_now

error: CREATE TABLE bad AS SELECT uuid_extract_timestamp('550e8400-e29b-41d4-a716-446655440000')
