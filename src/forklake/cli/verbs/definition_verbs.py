"""Verbs about views, macros, options and sessions."""

from __future__ import annotations

from typing import Final

from forklake.cli.verbs.verb import IN_A_SESSION, OF_SESSIONS, STATEMENT, Chapter, Lacks, Verb

CHAPTERS: Final = (
    Chapter(
        "Views and macros",
        (
            Verb("create a view", ("Views.create",), ("CREATE VIEW recent AS FROM orders",), STATEMENT),
            Verb("drop a view", ("Views.drop",), ("DROP VIEW recent",), STATEMENT),
            Verb("rename a view", ("Views.rename",), ("ALTER VIEW recent RENAME TO newest",), STATEMENT),
            Verb("list views", ("Views.list", "Views.get"), ("FROM duckdb_views()",), STATEMENT),
            Verb("comment on a view", ("Views.comment",), ("COMMENT ON VIEW recent IS 'new ones'",), STATEMENT),
            Verb(
                "tag a view",
                ("Views.set_tag",),
                Lacks("DuckLake has no statement for tags but COMMENT"),
                Lacks("tags are set in Python"),
            ),
            Verb(
                "create a macro",
                ("Macros.create",),
                ("CREATE MACRO half(x) AS x / 2", "CREATE MACRO first_orders(n) AS TABLE FROM orders LIMIT n"),
                STATEMENT,
            ),
            Verb("drop a macro", ("Macros.drop",), ("DROP MACRO half", "DROP MACRO TABLE first_orders"), STATEMENT),
            Verb(
                "list macros",
                ("Macros.list", "Macros.get"),
                Lacks("DuckLake's own list, `duckdb_functions`, is not built"),
                Lacks("`catalog show` counts them"),
            ),
            Verb(
                "comment on a macro",
                Lacks("DuckLake keeps no comments of macros; the statement says so"),
                ("COMMENT ON MACRO half IS 'x'",),
                Lacks("DuckLake keeps no comments of macros; the statement says so"),
            ),
        ),
    ),
    Chapter(
        "Options",
        (
            Verb("list options", ("Options.list", "Options.get"), ("FROM ducklake_options('shop')",), ("option list",)),
            Verb(
                "set an option",
                ("Options.set",),
                ("CALL ducklake_set_option('shop', 'target_file_size', '64MB')",),
                ("option set",),
            ),
            Verb(
                "forget an option",
                ("Options.reset",),
                ("CALL ducklake_reset_option('shop', 'target_file_size')",),
                ("option reset",),
            ),
        ),
    ),
    Chapter(
        "SQL sessions",
        (
            Verb(
                "run SQL",
                ("Catalog.sql", "Transaction.sql", "Catalog.session", "Lake.connect", "forklake.connect"),
                ("SELECT 1",),
                ("sql",),
            ),
            Verb(
                "set variables and settings",
                OF_SESSIONS,
                ("SET VARIABLE since = 17", "RESET VARIABLE since", "SET TimeZone = 'UTC'", "RESET TimeZone"),
                IN_A_SESSION,
            ),
            Verb(
                "keep secrets of other databases and object stores",
                Lacks("a URL has the login, the environment the keys"),
                (
                    "CREATE SECRET s (TYPE ducklake, METADATA_PATH 'lake.db')",
                    "CREATE SECRET k (TYPE s3, KEY_ID 'AKIA', SECRET '...', SCOPE 's3://shop/')",
                    "DROP SECRET s",
                ),
                IN_A_SESSION,
            ),
            Verb("load extensions", OF_SESSIONS, ("LOAD ducklake",), IN_A_SESSION),
        ),
    ),
)
