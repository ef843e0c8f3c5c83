-- Aggregates of the shape of a distribution.
CREATE TABLE m (id INTEGER, g INTEGER, x DOUBLE, n INTEGER, d DECIMAL(9,2), t VARCHAR)

INSERT INTO m SELECT i, i % 3, (i * 37 % 11) / 4, i * i % 7, (i * 13 % 10) / 2, 'k' || (i % 4) FROM range(20) AS r(i)

INSERT INTO m VALUES (21, 4, 1, 1, 1, 'x'), (22, 5, NULL, NULL, NULL, NULL), (23, 6, 2, 2, 2, 'a'), (24, 6, 2, 2, 2, 'b'), (25, 6, 2, 2, 2, 'b')

SELECT g, mad(x) AS p1, mad(n) AS p2, mad(d) AS p3, round(sem(x), 12) AS p4, round(skewness(x), 10) AS p5, round(kurtosis(n), 10) AS p6, round(kurtosis_pop(d), 10) AS p7, approx_quantile(n, 0.5) AS p8, approx_quantile(x, 0.25) AS p9, round(entropy(t), 12) AS p10, round(entropy(n), 12) AS p11 FROM m GROUP BY g ORDER BY g

SELECT round(geomean(x + 1), 10) AS p1, geometric_mean(n + 1) > 1 AS p2, round(wavg(x, n), 10) AS p3, weighted_avg(n, d) AS p4, regr_count(x, n) AS p5, round(regr_sxx(x, n), 8) AS p6, round(regr_syy(n, x), 8) AS p7, round(regr_sxy(x, d), 8) AS p8, approx_quantile(d, [0.25, 0.5]) AS p9 FROM m

SELECT g, mad(x) FILTER (n > 1) AS p1, approx_quantile(DISTINCT n, 0.5) AS p2, round(skewness(x) FILTER (id < 15), 9) AS p3 FROM m GROUP BY g ORDER BY g

SELECT id, mad(n) OVER (PARTITION BY g) AS p1, round(sem(x) OVER (PARTITION BY g), 10) AS p2, round(kurtosis_pop(x) OVER (PARTITION BY g), 9) AS p3 FROM m ORDER BY id

SELECT mad(x) AS p1, entropy(x) AS p2, skewness(x) AS p3, sem(x) AS p4, kurtosis(x) AS p5, geomean(x) AS p6 FROM m WHERE id < 0

-- Quantiles of other values than numbers.
SELECT g, median(DATE '2024-01-01' + n) AS a, quantile_cont(DATE '2024-01-01' + n, 0.3) AS b, median(TIMESTAMP '2024-01-01' + n * INTERVAL 7 HOUR) AS c, quantile_cont(TIMESTAMP '2024-01-01' + n * INTERVAL 7 HOUR, [0.25, 1]) AS d, median(t) AS e, median(DISTINCT t) AS h, median(t) FILTER (n > 1) AS i, median(n > 1) AS j FROM m GROUP BY g ORDER BY g

SELECT id, median(DATE '2024-01-01' + n) OVER (PARTITION BY g ORDER BY id) AS a FROM m ORDER BY id

SELECT median(t) AS a, quantile_cont(DATE '2024-01-01' + n, 0.5) AS b FROM m WHERE id < 0

error: SELECT quantile_cont(t, 0.4) FROM m
