"""Lines of JSON, decoded in batches; a line that is none becomes nulls."""

from __future__ import annotations

import json
from typing import Any

import polars as pl


def decoded(lines: pl.LazyFrame, fields: pl.Struct) -> pl.LazyFrame:
    """Decode lines.

    Parameters
    ----------
    lines : polars.LazyFrame
        Has ``line`` and ``text``.
    fields : polars.Struct
        What to take of each line's object; a value of another type becomes null.

    Returns
    -------
    polars.LazyFrame
        ``line`` and the fields.
    """
    schema = {"line": lines.collect_schema()["line"]} | {field.name: field.dtype for field in fields.fields}
    return lines.map_batches(lambda batch: _decoded(batch, fields), schema=schema, streamable=True)


def _decoded(batch: pl.DataFrame, fields: pl.Struct) -> pl.DataFrame:
    texts = batch["text"]
    found = _together(texts, fields)
    if found is None:
        found = pl.Series([_object(text, fields) for text in texts], dtype=fields)
    return batch.select("line").with_columns(found.alias("found")).unnest("found")


def _together(texts: pl.Series, fields: pl.Struct) -> pl.Series | None:
    """Decode all lines in one go; nothing if a line is not what it should be, as the lines around it are still good.

    polars joins lines by commas first: two objects on a line, or one over several lines, would move what follows.
    """
    bare = texts.str.strip_chars()
    if not (bare.str.starts_with("{") & bare.str.ends_with("}")).all():
        return None
    try:
        found = texts.str.json_decode(fields)
    except pl.exceptions.ComputeError:
        return None
    return found if len(found) == len(texts) else None


def _object(text: str, fields: pl.Struct) -> dict | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _typed(value, fields)


def _typed(value: object, kind: object) -> Any:
    """Return a value if it is of a column's type, otherwise None."""
    if isinstance(kind, pl.Struct):
        if not isinstance(value, dict):
            return None
        return {field.name: _typed(value.get(field.name), field.dtype) for field in kind.fields}
    if kind == pl.String:
        # Half of a surrogate pair, which JSON can name, is no text.
        return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else None
    try:
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    except OverflowError:  # a whole number of hundreds of digits
        return None
