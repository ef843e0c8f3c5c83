-- Groups and orders by expressions that need variables of their own in Spark.
CREATE TABLE t (v VARCHAR, l INTEGER[], b BLOB, m MAP(VARCHAR, INTEGER))

INSERT INTO t VALUES ('1', [1, 2], 'a', MAP {'k': 1}), ('1', [1, 2], 'a', MAP {'k': 1}), ('22', [3], 'b', MAP {'k': 2})

SELECT l::VARCHAR, count(*) FROM t GROUP BY 1

SELECT b::VARCHAR AS a, m::VARCHAR AS c, count(*) FROM t GROUP BY b::VARCHAR, m::VARCHAR

SELECT list_sum(l) + 1 AS a, count(*) FROM t GROUP BY list_sum(l) ORDER BY list_sum(l)

SELECT list_transform(l, x -> x + 1) AS a, count(*) FROM t GROUP BY list_transform(l, x -> x + 1)

SELECT l::BIGINT[] AS a, list_sum(l) AS s, count(*) FROM t GROUP BY GROUPING SETS ((l::BIGINT[]), (list_sum(l)), ())

SELECT DISTINCT l::VARCHAR AS a FROM t ORDER BY l::VARCHAR

SELECT count(*) FROM t GROUP BY ALL HAVING count(*) > 1

SELECT l::VARCHAR AS a, string_agg(v, ',') FROM t GROUP BY ALL ORDER BY ALL
