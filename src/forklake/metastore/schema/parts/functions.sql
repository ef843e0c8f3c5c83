-- What postgresql.sql has beside tables and views. It is put into that file; {ends} and {rows} stand for what is
-- written there for each table.

-- Functions: a commit and a fork are one call, so one round trip. They are plain: what to write is decided by the client.
-- A session keeps the plans of its first calls, when tables may be small or never analyzed: they must use the indexes.

-- Locks of rows of ducklake_lock, until the transaction ends: whoever has no right to UPDATE that table takes none.
-- Nothing is written but who holds the lock, so no row has dead versions.

-- Take the lock of a catalog for one at a time: 2 is its quota, 3 its turn. 0 and 1 are for the functions below.
CREATE FUNCTION forklake.lock_one(p_catalog bigint, p_lock smallint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        PERFORM FROM forklake.ducklake_lock k WHERE k.catalog_id = p_catalog AND k.lock_id = p_lock FOR NO KEY UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO forklake.ducklake_lock (catalog_id, lock_id) VALUES (p_catalog, p_lock) ON CONFLICT DO NOTHING;
    END LOOP;
END $$;

-- Keep others from forgetting what a catalog holds (fork): they call lock_alone. Of the lake, it is one of its locks, which
-- few other sessions take: a row that many share at once names them all, anew for each.
CREATE FUNCTION forklake.lock_shared(catalog bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_lock smallint := 0;
    v_door xid;
BEGIN
    IF catalog < 0 THEN
        v_lock := pg_backend_pid() % {lake_locks};
    ELSE
        -- Who shares a row lock passes by those who wait for it to be free, for ever if there are many. So these lock the
        -- door first, and whoever comes later waits there, and lets it go at once, by going back to before. Who locked it
        -- last says whether it may be locked now.
        SELECT k.xmax INTO v_door FROM forklake.ducklake_lock k WHERE k.catalog_id = catalog AND k.lock_id = 1;
        IF age(v_door) <= age(pg_snapshot_xmin(pg_current_snapshot())::xid) THEN
            BEGIN
                PERFORM FROM forklake.ducklake_lock k WHERE k.catalog_id = catalog AND k.lock_id = 1 FOR SHARE;
                RAISE SQLSTATE 'FLDOR';
            EXCEPTION WHEN SQLSTATE 'FLDOR' THEN NULL;
            END;
        END IF;
    END IF;
    LOOP
        PERFORM FROM forklake.ducklake_lock k WHERE k.catalog_id = catalog AND k.lock_id = v_lock FOR KEY SHARE;
        EXIT WHEN FOUND;
        INSERT INTO forklake.ducklake_lock (catalog_id, lock_id)
        SELECT catalog, l.lock_id FROM (VALUES (v_lock), (1)) AS l(lock_id) WHERE l.lock_id = v_lock OR catalog >= 0
            ON CONFLICT DO NOTHING;
    END LOOP;
END $$;

-- Keep others from pinning what a catalog holds (expire, purge), or from making catalogs in the lake.
CREATE FUNCTION forklake.lock_alone(catalog bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_last smallint := CASE WHEN catalog < 0 THEN {lake_locks} - 1 ELSE 1 END;
BEGIN
    -- All of them are there before the first is locked: nobody makes one meanwhile.
    IF v_last >= (SELECT count(*) FROM forklake.ducklake_lock k WHERE k.catalog_id = catalog AND k.lock_id <= v_last) THEN
        INSERT INTO forklake.ducklake_lock (catalog_id, lock_id)
        SELECT catalog, l.lock_id FROM generate_series(0, v_last) AS l(lock_id) ON CONFLICT DO NOTHING;
    END IF;
    -- Of a catalog, the door comes first.
    PERFORM FROM forklake.ducklake_lock k
      WHERE k.catalog_id = catalog AND k.lock_id <= v_last ORDER BY abs(k.lock_id - v_last) FOR UPDATE;
END $$;

-- Ids that the client does not know yet are negative: -1 is the first of the new ids, -2 the second.
CREATE FUNCTION forklake.real_id(id bigint, new_ids bigint[]) RETURNS bigint LANGUAGE sql IMMUTABLE
AS $$ SELECT CASE WHEN id < 0 THEN new_ids[-id] ELSE id END $$;

-- Return why a quota refuses a catalog as it now stands, or NULL: its own, or one of an ancestor that counts its forks.
-- Spenders of such a quota wait for each other here, so that no two of them spend the same rest.
--   p_beyond {"counted", "limit", "wanted"}: what every quota refuses; or NULL
CREATE FUNCTION forklake.exceeded(p_catalog bigint, p_files boolean, p_bytes boolean, p_beyond jsonb) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_owners bigint[];
    v_quota record;
    v_files numeric;
    v_bytes numeric;
BEGIN
    v_owners := ARRAY(
        SELECT q.catalog_id FROM forklake.ducklake_quota q
         WHERE q.catalog_id = ANY (p_catalog || ARRAY(
                   SELECT g.owner_id FROM forklake.ducklake_segment g WHERE g.catalog_id = p_catalog))
           AND (q.subtree OR q.catalog_id = p_catalog)
         ORDER BY q.catalog_id);
    IF v_owners = '{}' THEN RETURN NULL; END IF;
    PERFORM forklake.lock_one(o.owner_id, 2::smallint) FROM unnest(v_owners) o(owner_id);
    FOR v_quota IN
        SELECT q.catalog_id, q.max_bytes, q.max_files, q.subtree FROM forklake.ducklake_quota q
         WHERE q.catalog_id = ANY (v_owners) AND (q.subtree OR q.catalog_id = p_catalog) ORDER BY q.catalog_id
    LOOP
        IF p_beyond IS NOT NULL THEN
            RETURN jsonb_build_object('catalog_id', v_quota.catalog_id) || p_beyond;
        END IF;
        SELECT sum(h.own_files), sum(h.own_bytes) INTO v_files, v_bytes FROM forklake.ducklake_head h
         WHERE h.live AND h.catalog_id = ANY (v_quota.catalog_id || CASE WHEN v_quota.subtree THEN ARRAY(
                   SELECT g.catalog_id FROM forklake.ducklake_segment g WHERE g.owner_id = v_quota.catalog_id) END);
        IF p_bytes AND v_bytes > v_quota.max_bytes THEN
            RETURN jsonb_build_object('catalog_id', v_quota.catalog_id, 'counted', 'bytes',
                                      'limit', v_quota.max_bytes, 'wanted', v_bytes);
        ELSIF p_files AND v_files > v_quota.max_files THEN
            RETURN jsonb_build_object('catalog_id', v_quota.catalog_id, 'counted', 'files',
                                      'limit', v_quota.max_files, 'wanted', v_files);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- The same for new forks. p_owners is their chain, nearest first.
CREATE FUNCTION forklake.exceeded_by_forks(p_parent bigint, p_owners bigint[], p_count bigint) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_limiting bigint[];
    v_quota record;
    v_level bigint;
    v_forks bigint;
BEGIN
    v_limiting := ARRAY(SELECT q.catalog_id FROM forklake.ducklake_quota q
                         WHERE q.catalog_id = ANY (p_parent || p_owners) ORDER BY q.catalog_id);
    IF v_limiting = '{}' THEN RETURN NULL; END IF;
    PERFORM forklake.lock_one(o.owner_id, 2::smallint) FROM unnest(v_limiting) o(owner_id);
    FOR v_quota IN
        SELECT q.catalog_id, q.max_forks, q.max_depth, q.subtree FROM forklake.ducklake_quota q
         WHERE q.catalog_id = ANY (v_limiting) ORDER BY q.catalog_id
    LOOP
        v_level := coalesce(array_position(p_owners, v_quota.catalog_id), 1);
        IF v_level > v_quota.max_depth THEN
            RETURN jsonb_build_object('catalog_id', v_quota.catalog_id, 'counted', 'depth',
                                      'limit', v_quota.max_depth, 'wanted', v_level);
        END IF;
        CONTINUE WHEN v_quota.max_forks IS NULL;
        IF v_quota.subtree THEN
            SELECT count(*) INTO v_forks FROM (
                SELECT DISTINCT g.catalog_id FROM forklake.ducklake_segment g
                  JOIN forklake.ducklake_head h ON h.catalog_id = g.catalog_id AND h.live
                 WHERE g.owner_id = v_quota.catalog_id LIMIT v_quota.max_forks + 1) f;
        ELSIF v_quota.catalog_id = p_parent THEN
            SELECT count(*) INTO v_forks FROM (
                SELECT FROM forklake.ducklake_catalog k WHERE k.parent_catalog_id = p_parent
                   AND k.end_snapshot = 9223372036854775807 LIMIT v_quota.max_forks + 1) f;
        ELSE
            CONTINUE;
        END IF;
        IF v_forks + p_count > v_quota.max_forks THEN
            RETURN jsonb_build_object('catalog_id', v_quota.catalog_id, 'counted', 'forks',
                                      'limit', v_quota.max_forks, 'wanted', v_forks + p_count);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- Move the head of a catalog from the snapshot the client planned on, and write the rows of the new one.
--   outcome  committed; known: the commit key did this already; moved, dropped, missing: nothing was written;
--            unleased, lapsed, over_quota: nothing was written; the lease is gone, the lifetime is over, or a quota
--            refuses the files, as refusal says
--   p_commit {"entries": [["inserted_into_table", 3], ...], "author", "message", "extra_info", "commit_key", "lease",
--             "schema_version", "new_objects": n, "new_files": n, "rows": {table: [row, ...]},
--             "ends": {table: [row_uid, ...]}, "tombstones": [{"scope_id", "row_uid"}, ...],
--             "own_files", "own_bytes": by how much what is the catalog's own and live grows,
--             "beyond": what every quota refuses in it, or null}
CREATE FUNCTION forklake.lake_commit(
    p_catalog bigint, p_expected bigint, p_commit jsonb,
    OUT outcome text, OUT snapshot bigint, OUT made_at timestamptz, OUT objects bigint[], OUT files bigint[],
    OUT refusal jsonb
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_rows jsonb := p_commit -> 'rows';
    v_ends jsonb := p_commit -> 'ends';
    v_leased boolean := true;
    v_files bigint := p_commit ->> 'own_files';
    v_bytes bigint := p_commit ->> 'own_bytes';
    v_beyond jsonb := nullif(p_commit -> 'beyond', 'null');
    v_end timestamptz;
    v_renew bigint;
BEGIN
    outcome := 'known';
    SELECT l.snapshot_id, s.snapshot_time INTO snapshot, made_at
      FROM forklake.ducklake_snapshot_lineage l
      LEFT JOIN forklake.ducklake_snapshot s ON s.catalog_id = l.catalog_id AND s.snapshot_id = l.snapshot_id
     WHERE l.catalog_id = p_catalog AND l.commit_key = p_commit ->> 'commit_key';
    IF FOUND THEN RETURN; END IF;

    -- Locked, so that nobody takes the lease away from here on. A commit that is tried again after it moved keeps it.
    IF p_commit ->> 'lease' IS NOT NULL THEN
        PERFORM FROM forklake.ducklake_lease e
          WHERE e.catalog_id = p_catalog AND e.lease_id = p_commit ->> 'lease' FOR UPDATE;
        v_leased := FOUND;
    END IF;

    -- The id is taken after the row is locked, so ids grow in the order of the commits of a catalog.
    UPDATE forklake.ducklake_head h SET snapshot_id = nextval('forklake.ducklake_snapshot_id_seq'),
           own_files = h.own_files + v_files, own_bytes = h.own_bytes + v_bytes
     WHERE h.catalog_id = p_catalog AND h.snapshot_id = p_expected AND h.live AND v_leased
     RETURNING h.snapshot_id INTO snapshot;
    IF NOT FOUND THEN
        SELECT l.snapshot_id, s.snapshot_time INTO snapshot, made_at
          FROM forklake.ducklake_snapshot_lineage l
          LEFT JOIN forklake.ducklake_snapshot s ON s.catalog_id = l.catalog_id AND s.snapshot_id = l.snapshot_id
         WHERE l.catalog_id = p_catalog AND l.commit_key = p_commit ->> 'commit_key';
        IF FOUND THEN RETURN; END IF;
        SELECT CASE WHEN NOT h.live THEN 'dropped' WHEN v_leased THEN 'moved' ELSE 'unleased' END INTO outcome
          FROM forklake.ducklake_head h WHERE h.catalog_id = p_catalog;
        outcome := coalesce(outcome, 'missing');
        RETURN;
    END IF;

    -- Read once the head is locked, which renewals, reaps and changes of a quota lock as well: what they did counts.
    SELECT e.expires_at, e.renew_seconds INTO v_end, v_renew
      FROM forklake.ducklake_lifetime e WHERE e.catalog_id = p_catalog;
    IF v_end <= clock_timestamp() THEN
        outcome := 'lapsed';
    ELSIF v_files > 0 OR v_bytes > 0 OR v_beyond IS NOT NULL THEN
        refusal := forklake.exceeded(p_catalog, v_files > 0, v_bytes > 0, v_beyond);
        IF refusal IS NOT NULL THEN outcome := 'over_quota'; END IF;
    END IF;
    IF outcome <> 'known' THEN
        UPDATE forklake.ducklake_head h SET snapshot_id = p_expected,
               own_files = h.own_files - v_files, own_bytes = h.own_bytes - v_bytes WHERE h.catalog_id = p_catalog;
        snapshot := NULL;
        RETURN;
    END IF;
    IF v_renew IS NOT NULL THEN
        UPDATE forklake.ducklake_lifetime e
           SET expires_at = greatest(e.expires_at, clock_timestamp() + make_interval(secs => v_renew))
         WHERE e.catalog_id = p_catalog;
    END IF;

    outcome := 'committed';
    DELETE FROM forklake.ducklake_lease e WHERE e.catalog_id = p_catalog AND e.lease_id = p_commit ->> 'lease';
    SELECT greatest(clock_timestamp(), s.snapshot_time) INTO STRICT made_at
      FROM forklake.ducklake_snapshot s WHERE s.catalog_id = p_catalog AND s.snapshot_id = p_expected;
    objects := ARRAY(SELECT nextval('forklake.ducklake_object_id_seq')
                       FROM generate_series(1, (p_commit ->> 'new_objects')::integer));
    files := ARRAY(SELECT nextval('forklake.ducklake_file_id_seq')
                     FROM generate_series(1, (p_commit ->> 'new_files')::integer));

    INSERT INTO forklake.ducklake_snapshot (catalog_id, snapshot_id, snapshot_time, schema_version)
    VALUES (p_catalog, snapshot, made_at, (p_commit ->> 'schema_version')::bigint);
    INSERT INTO forklake.ducklake_snapshot_lineage (catalog_id, snapshot_id, previous_snapshot_id, commit_key)
    VALUES (p_catalog, snapshot, p_expected, p_commit ->> 'commit_key');
    INSERT INTO forklake.ducklake_snapshot_changes
           (catalog_id, snapshot_id, changes_made, author, commit_message, commit_extra_info)
    SELECT p_catalog, snapshot,
           coalesce(string_agg((e.entry ->> 0) || ':' || CASE jsonb_typeof(e.entry -> 1)
               WHEN 'number' THEN forklake.real_id((e.entry ->> 1)::bigint, objects)::text ELSE e.entry ->> 1 END,
               ',' ORDER BY e.place), ''),
           p_commit ->> 'author', p_commit ->> 'message', p_commit ->> 'extra_info'
      FROM jsonb_array_elements(p_commit -> 'entries') WITH ORDINALITY AS e(entry, place);

    IF v_ends <> '{}' THEN
        -- {ends}
    END IF;
    INSERT INTO forklake.ducklake_tombstone (catalog_id, scope_id, row_uid, snapshot_id)
    SELECT p_catalog, (t.tombstone ->> 'scope_id')::bigint, (t.tombstone ->> 'row_uid')::bigint, snapshot
      FROM jsonb_array_elements(p_commit -> 'tombstones') AS t(tombstone);

    -- {rows}
END $$;

-- Fork a catalog: for each name a catalog row, a head, a snapshot, the ancestry and the options; no other row.
--   p_at          the snapshot to pin, or NULL for the parent's head
--   p_directories what the client proposes below p_prefix; a place that was ever used gives way to the uuid
--   p_above       places that must not be a catalog's directory, since the new ones would lie below them
--   p_terms       {"author", "labels": {key: value, ...}, "lifetime": {"seconds", "until", "renew_seconds",
--                 "purge_after_seconds"}}, for each of them
--   outcome       forked; missing, dropped, lapsed, no_snapshot, overlap, over_quota: nothing was written
CREATE FUNCTION forklake.lake_fork(
    p_parent bigint, p_at bigint, p_names varchar[], p_uuids uuid[], p_directories varchar[],
    p_data_path varchar, p_prefix varchar, p_is_relative boolean, p_above varchar[], p_terms jsonb,
    OUT outcome text, OUT pin bigint, OUT catalogs bigint[], OUT snapshots bigint[], OUT refusal jsonb
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_locks integer := 0;
    v_name varchar;
    v_live boolean;
    v_owners bigint[];
    v_uptos bigint[];
    v_firsts bigint[];
    v_depth smallint;
    v_since bigint;
    v_schema_version bigint;
    v_made_at timestamptz;
    v_lifetime jsonb := nullif(p_terms -> 'lifetime', 'null');
BEGIN
    IF p_data_path IS NULL AND p_at IS NULL THEN
        -- What lock_shared does twice, in one statement, if the locks are there and nobody has locked the door.
        PERFORM FROM (VALUES (-1::bigint, pg_backend_pid() % {lake_locks}), (p_parent, 0)) AS l(catalog_id, lock_id)
           JOIN forklake.ducklake_lock k ON k.catalog_id = l.catalog_id AND k.lock_id = l.lock_id
          WHERE NOT EXISTS (SELECT FROM forklake.ducklake_lock d WHERE d.catalog_id = p_parent AND d.lock_id = 1
                            AND age(d.xmax) <= age(pg_snapshot_xmin(pg_current_snapshot())::xid))
            FOR KEY SHARE OF k;
        GET DIAGNOSTICS v_locks = ROW_COUNT;
    END IF;
    IF v_locks < 2 THEN
        IF p_data_path IS NULL THEN PERFORM forklake.lock_shared(-1); ELSE PERFORM forklake.lock_alone(-1); END IF;
        IF p_at IS NULL THEN PERFORM forklake.lock_shared(p_parent); END IF;
    END IF;

    SELECT h.live, k.catalog_name, coalesce(p_at, h.snapshot_id) INTO v_live, v_name, pin
      FROM forklake.ducklake_head h
      LEFT JOIN forklake.ducklake_catalog k ON k.catalog_id = h.catalog_id AND k.end_snapshot = 9223372036854775807
     WHERE h.catalog_id = p_parent;
    IF NOT FOUND THEN outcome := 'missing'; RETURN; END IF;
    IF NOT v_live THEN outcome := 'dropped'; RETURN; END IF;
    IF EXISTS (SELECT FROM forklake.ducklake_lifetime e
                WHERE e.catalog_id = p_parent AND e.expires_at <= clock_timestamp()) THEN
        outcome := 'lapsed'; RETURN;
    END IF;

    -- The epoch of the pinned snapshot, and the depth of its owner: the parent, or an ancestor by the first epoch.
    SELECT o.depth, o.since INTO v_depth, v_since
      FROM (SELECT 0 AS depth, p_parent AS owner_id, 0 AS first, 9223372036854775807 AS upto,
                   coalesce((SELECT g.since FROM forklake.ducklake_segment g WHERE g.catalog_id = p_parent
                             AND g.since <= pin AND g.until > pin AND g.depth = 1), 0) AS since
            UNION ALL
            SELECT g.depth, g.owner_id, g.versions_from, g.upto, g.since FROM forklake.ducklake_segment g
             WHERE g.catalog_id = p_parent AND g.versions_from < 9223372036854775807) o
      JOIN forklake.ducklake_snapshot s ON s.catalog_id = o.owner_id
     WHERE s.snapshot_id = pin AND s.snapshot_id BETWEEN o.first AND o.upto
     ORDER BY o.depth LIMIT 1;
    IF NOT FOUND THEN outcome := 'no_snapshot'; RETURN; END IF;
    -- The parent's chain from that owner on, nearest first.
    WITH chain AS (
        SELECT 0 AS depth, p_parent AS owner_id, pin AS upto, v_since AS versions_from
        UNION ALL
        SELECT g.depth, g.owner_id, least(g.upto, pin), g.versions_from
          FROM forklake.ducklake_segment g WHERE g.catalog_id = p_parent AND g.since = v_since)
    SELECT array_agg(c.owner_id ORDER BY c.depth), array_agg(c.upto ORDER BY c.depth),
           array_agg(c.versions_from ORDER BY c.depth)
      INTO v_owners, v_uptos, v_firsts FROM chain c WHERE c.depth >= v_depth;
    -- What is pinned must still be there once nobody can expire it any more.
    IF p_at IS NOT NULL THEN PERFORM forklake.lock_shared(v_owners[1]); END IF;
    SELECT s.schema_version, greatest(clock_timestamp(), s.snapshot_time) INTO v_schema_version, v_made_at
      FROM forklake.ducklake_snapshot s WHERE s.catalog_id = v_owners[1] AND s.snapshot_id = pin;
    IF NOT FOUND THEN outcome := 'no_snapshot'; RETURN; END IF;
    IF EXISTS (SELECT FROM forklake.ducklake_catalog k WHERE lower(k.path COLLATE "C") = ANY (p_above)) THEN
        outcome := 'overlap'; RETURN;
    END IF;
    refusal := forklake.exceeded_by_forks(p_parent, v_owners, cardinality(p_names));
    IF refusal IS NOT NULL THEN outcome := 'over_quota'; RETURN; END IF;

    outcome := 'forked';
    catalogs := ARRAY(SELECT nextval('forklake.ducklake_catalog_id_seq') FROM generate_series(1, cardinality(p_names)));
    snapshots := ARRAY(SELECT nextval('forklake.ducklake_snapshot_id_seq') FROM generate_series(1, cardinality(p_names)));
    INSERT INTO forklake.ducklake_catalog
           (catalog_id, catalog_uuid, catalog_name, parent_catalog_id, parent_snapshot_id,
            data_path, path, path_is_relative, begin_snapshot, begin_time)
    SELECT n.catalog, n.uuid, n.name, p_parent, pin, p_data_path,
           -- Nothing may lie at or below the place: '0' is the character after '/'.
           p_prefix || CASE WHEN EXISTS (
               SELECT FROM forklake.ducklake_catalog k
                WHERE lower(k.path COLLATE "C") >= lower((p_prefix || n.directory) COLLATE "C")
                  AND lower(k.path COLLATE "C") < lower((p_prefix || rtrim(n.directory, '/') || '0') COLLATE "C")
           ) THEN n.uuid::text || '/' ELSE n.directory END,
           p_is_relative, n.snapshot, v_made_at
      FROM unnest(catalogs, snapshots, p_names, p_uuids, p_directories) AS n(catalog, snapshot, name, uuid, directory)
     -- In one order: lists that share names wait for each other, not in a ring.
     ORDER BY lower(n.name COLLATE "C");
    -- Since the check somebody may have had a name, and with it the directory, and have dropped it again.
    UPDATE forklake.ducklake_catalog k SET path = p_prefix || k.catalog_uuid::text || '/'
       -- Not EXISTS, which may be planned as a join that reads all catalogs.
     WHERE k.catalog_id = ANY (catalogs) AND 0 < (
               SELECT count(*) FROM forklake.ducklake_catalog o
                WHERE lower(o.path COLLATE "C") = lower(k.path COLLATE "C") AND o.catalog_id <> k.catalog_id);
    INSERT INTO forklake.ducklake_head (catalog_id, snapshot_id) SELECT unnest(catalogs), unnest(snapshots);
    INSERT INTO forklake.ducklake_segment (catalog_id, since, depth, owner_id, upto, versions_from)
    SELECT n.catalog, n.snapshot, c.depth, c.owner_id, c.upto, c.versions_from
      FROM unnest(catalogs, snapshots) AS n(catalog, snapshot),
           unnest(v_owners, v_uptos, v_firsts) WITH ORDINALITY AS c(owner_id, upto, versions_from, depth);
    INSERT INTO forklake.ducklake_snapshot (catalog_id, snapshot_id, snapshot_time, schema_version)
    SELECT unnest(catalogs), unnest(snapshots), v_made_at, v_schema_version;
    INSERT INTO forklake.ducklake_snapshot_lineage (catalog_id, snapshot_id, previous_snapshot_id)
    SELECT unnest(catalogs), unnest(snapshots), pin;
    INSERT INTO forklake.ducklake_snapshot_changes (catalog_id, snapshot_id, changes_made, author, commit_message)
    SELECT unnest(catalogs), unnest(snapshots), '', p_terms ->> 'author', 'Fork of "' || v_name || '" at snapshot ' || pin;
    IF v_lifetime IS NOT NULL THEN
        INSERT INTO forklake.ducklake_lifetime (catalog_id, expires_at, renew_seconds, purge_after_seconds)
        SELECT n.catalog, coalesce((v_lifetime ->> 'until')::timestamptz,
                                   clock_timestamp() + make_interval(secs => (v_lifetime ->> 'seconds')::float8)),
               (v_lifetime ->> 'renew_seconds')::bigint, (v_lifetime ->> 'purge_after_seconds')::bigint
          FROM unnest(catalogs) AS n(catalog);
    END IF;
    INSERT INTO forklake.ducklake_catalog_label (catalog_id, key, value)
    SELECT n.catalog, l.key, l.value FROM unnest(catalogs) AS n(catalog), jsonb_each_text(p_terms -> 'labels') AS l;
    -- Options as they are now, without those of objects that the pin does not hold.
    INSERT INTO forklake.ducklake_metadata (catalog_id, key, value, scope, scope_id)
    SELECT n.catalog, o.key, o.value, o.scope, o.scope_id
      FROM forklake.ducklake_metadata o, unnest(catalogs) AS n(catalog)
     WHERE o.catalog_id = p_parent AND (o.scope = '' OR EXISTS (
               SELECT FROM unnest(v_owners, v_uptos) AS c(owner_id, upto), LATERAL (
                   SELECT t.row_uid FROM forklake.ducklake_table t
                    WHERE o.scope = 'table' AND t.catalog_id = c.owner_id AND t.table_id = o.scope_id
                      AND t.begin_snapshot <= c.upto AND t.end_snapshot > c.upto
                   UNION ALL
                   SELECT s.row_uid FROM forklake.ducklake_schema s
                    WHERE o.scope = 'schema' AND s.catalog_id = c.owner_id AND s.schema_id = o.scope_id
                      AND s.begin_snapshot <= c.upto AND s.end_snapshot > c.upto) AS held
                WHERE NOT EXISTS (
                   SELECT FROM unnest(v_owners, v_uptos) AS b(owner_id, upto)
                     JOIN forklake.ducklake_tombstone z ON z.catalog_id = b.owner_id
                    WHERE z.scope_id = 0 AND z.row_uid = held.row_uid AND z.snapshot_id <= b.upto)));
END $$;
