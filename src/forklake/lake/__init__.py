"""The public face: handles on lakes, catalogs, tables and transactions."""

from forklake.lake.catalog import Catalog
from forklake.lake.lake import Lake, LakeAt
from forklake.lake.options import Options
from forklake.lake.table import Table
from forklake.lake.transaction import Transaction

__all__ = ["Catalog", "Lake", "LakeAt", "Options", "Table", "Transaction"]
