"""Statements of one row each, as an agent says them in its fork, and the table that they are about."""

from typing import Final

ROWS: Final = ", ".join(f"({number}, 'item {number}', {number}.5)" for number in range(1_000))
TABLE: Final = (
    "CREATE TABLE orders (id BIGINT, item VARCHAR, amount DECIMAL(10,2));",
    f"INSERT INTO orders VALUES {ROWS}",
)
STATEMENTS: Final = {
    "SELECT": "SELECT item, amount + 1 FROM orders WHERE id = {0}",
    "INSERT ... VALUES": "INSERT INTO orders VALUES (10000 + {0}, 'new', 1)",
    "INSERT ... SELECT": "INSERT INTO orders SELECT 20000 + id, item, amount FROM orders WHERE id = {0}",
    "UPDATE": "UPDATE orders SET amount = amount * 2 WHERE id = {0}",
    "DELETE": "DELETE FROM orders WHERE id = {0}",
    "MERGE": "MERGE INTO orders USING (VALUES ({0}, 'x', 2.5)) AS v(id, item, amount) ON orders.id = v.id"
    " WHEN MATCHED THEN UPDATE SET amount = v.amount WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.item, v.amount)",
}
