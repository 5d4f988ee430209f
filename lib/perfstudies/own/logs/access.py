"""Access logs with the time taken, of Apache httpd, nginx and Tomcat, by the server's own log format.

Most formats are values between spaces, some of them in quotes. Such lines are cut up at their quotes and spaces, which
is many times as fast as a regular expression; a line that does not come out as it should, because a quoted value holds
an escaped quote, is read again by the format as a regular expression, and set aside only if that does not fit either.

A status below 400 is success (without a status in the format, every request is). The operation is the method and the
path without its query. Of what stands before a date in brackets, such as addresses and users, only the text at the
line's begin is checked. These logs know whole seconds only of when a request began or ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from perfstudies.own.logs import files
from perfstudies.own.logs.access_pattern import DATE, DATE_LENGTH, Field, Layout, layout
from perfstudies.own.logs.requests import OTHER, SCHEMA, epoch_s, instant_s, succeeded, tidy

_TO_MS = {"elapsed_us": 1e-3, "elapsed_ms": 1.0, "elapsed_s": 1e3, "committed_ms": 1.0}
_PROTOCOLS = (" HTTP/1.1", " HTTP/1.0", " HTTP/2.0", " HTTP/3.0")
_LATER = "the rest of a date"
_LIKE_ACCESS = re.compile(rb"^\S+ \S+ .*\[\d\d/[A-Z][a-z][a-z]/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\]", re.MULTILINE)


def resembles(head: bytes) -> bool:
    """Say whether a log that begins so may be one; only its format tells how to read it."""
    return _LIKE_ACCESS.search(head[:4096]) is not None


def read(path: Path, pattern: str, server: str) -> pl.LazyFrame:
    """Read a log.

    Parameters
    ----------
    path : Path
        The log.
    pattern : str
        The server's log format.
    server : str
        One of `perfstudies.own.logs.access_pattern.SERVERS`.

    Raises
    ------
    BadParameter
        As `perfstudies.own.logs.access_pattern.layout`.
    """
    form = layout(pattern, server)
    cut_up = cutting(form)

    def read_again(found: pl.DataFrame) -> pl.DataFrame:
        if found["problem"].null_count() == found.height:
            found.drop_in_place("text")  # selecting the others would cost a query for each batch
            return found
        odd = found["problem"].is_not_null()
        again = _made(_matched(found.filter(odd).lazy(), form), form).collect()
        return pl.concat([found.filter(~odd).select(*SCHEMA), again.select(*SCHEMA)]).sort("line")

    def build(plain: Path) -> pl.LazyFrame:
        if cut_up is None:
            return _made(_matched(files.lines(plain), form), form).select(*SCHEMA)
        return _made(cut_up(files.lines(plain)), form).map_batches(read_again, schema=SCHEMA, streamable=True)

    return files.scan(path, build)


def expression(form: Layout) -> str:
    """Return a log format as a regular expression whose groups are its fields of meaning, in their order."""
    parts, quoted = [], False
    for at, token in enumerate(form.tokens):
        if isinstance(token, str):
            parts.append(re.escape(token))
            quoted ^= token.count('"') % 2 == 1
            continue
        following = next((one for one in form.tokens[at + 1 : at + 2] if isinstance(one, str)), " ")
        if quoted:
            value = r'(?:[^"\\]|\\.)*'
        else:
            value = f"[^{re.escape(following[0])}]*"
        parts.append(f"({value})" if token.meaning else value)
    return f"^{''.join(parts)}$"


def cutting(form: Layout) -> Callable[[pl.LazyFrame], pl.LazyFrame] | None:
    """Return what cuts lines up into a format's fields of meaning; None if the format is not that plain.

    The frame that it takes has ``line`` and ``text``; the one that it returns also ``field_0``, ``field_1`` and so on,
    in the order of the format. The time taken is null where a line does not fit it.
    """
    pieces: list[list[str | Field]] = [[]]
    for token in form.tokens:
        if isinstance(token, Field):
            pieces[-1].append(token)
            continue
        first, *others = token.split('"')
        pieces[-1].append(first)
        pieces.extend([other] for other in others)
    splits, fields, fits = [], [], []
    for at, piece in enumerate(pieces):
        piece = [one for one in piece if one != ""]
        if not any(isinstance(one, Field) and one.meaning for one in piece):
            continue
        if at % 2:
            if len(piece) > 1:
                return None
            fields.append(pl.col(f"piece_{at}"))
            continue
        if _is_date(piece):
            if isinstance(piece[0], str):
                fits.append(pl.col(f"piece_{at}").str.starts_with(piece[0]))
            fields.append(pl.col(f"piece_{at}").str.splitn("[", 2).struct[1].str.head(DATE_LENGTH))
            continue
        words = _words(piece)
        if words is None:
            return None
        splits.append(pl.col(f"piece_{at}").str.split_exact(" ", len(words)).alias(f"words_{at}"))
        split = pl.col(f"words_{at}").struct
        fits.append(split[len(words) - 1].is_not_null() & split[len(words)].is_null())
        for place, (before, meaning, after) in enumerate(words):
            if not meaning or meaning == _LATER:
                continue
            word = split[place]
            if " " in meaning:
                word = pl.concat_str(word, split[place + 1], separator=" ")
            if before or after:
                fits.append(word.str.starts_with(before) & word.str.ends_with(after))
                word = word.str.strip_prefix(before).str.strip_suffix(after)
            fields.append(word)
    named = [field.alias(f"field_{at}") for at, field in enumerate(fields)]
    cut = pl.col("cut").struct
    fits.append(cut[len(pieces) - 1].is_not_null() & cut[len(pieces)].is_null())

    # Only lines that fit have a time taken; those that have none are read again.
    taken = form.meanings.index(form.taken)
    named[taken] = pl.when(pl.all_horizontal(fits)).then(fields[taken]).alias(f"field_{taken}")

    def cut_up(frame: pl.LazyFrame) -> pl.LazyFrame:
        return (
            frame.select("line", "text", pl.col("text").str.split_exact('"', len(pieces)).alias("cut"))
            .with_columns(cut[at].alias(f"piece_{at}") for at in range(len(pieces)))
            .with_columns(splits)
            .select("line", "text", *named)
        )

    return cut_up


def _is_date(piece: list[Any]) -> bool:
    """Say whether all that matters in a piece is a date in its only brackets: it is found without what surrounds it."""
    fields = [at for at, one in enumerate(piece) if isinstance(one, Field) and one.meaning]
    opened = [at for at, one in enumerate(piece) if isinstance(one, str) and "[" in one]
    return (
        len(fields) == 1
        and piece[fields[0]] == Field(DATE)
        and opened == [fields[0] - 1]
        and (piece[opened[0]].count("[") == 1 and piece[opened[0]].endswith("["))
    )


def _words(piece: list[str | Field]) -> list[tuple[str, str, str]] | None:
    """Return what stands between a piece's spaces: text, a field's meaning, text; None if there are more in one."""
    words: list[tuple[str, str, str]] = [("", "", "")]
    taken = False
    for token in piece:
        if isinstance(token, Field):
            before, _, after = words[-1]
            if taken:
                return None
            words[-1], taken = (before + after, token.meaning, ""), True
            # A date with a space in it is two words.
            words.extend([("", _LATER, "")] * token.meaning.count(" "))
            continue
        first, *others = token.split(" ")
        # What follows a date follows its first half here, and is looked for at the end of both.
        holder = -2 if words[-1][1] == _LATER else -1
        before, meaning, after = words[holder]
        words[holder] = before, meaning, after + first
        for other in others:
            words.append(("", "", other))
            taken = False
    return words


def _matched(frame: pl.LazyFrame, form: Layout) -> pl.LazyFrame:
    """Return what `cutting` does, by the format as a regular expression."""
    found = pl.col("text").str.extract_groups(expression(form)).struct
    named = [found.field(str(at + 1)).alias(f"field_{at}") for at in range(len(form.meanings))]
    return frame.select("line", "text", *named)


def _made(frame: pl.LazyFrame, form: Layout) -> pl.LazyFrame:
    """Make requests of fields of meaning, ``text`` kept."""
    at = {name: pl.col(f"field_{number}") for number, name in enumerate(form.meanings)}
    moment_s = None
    if form.stamp == "epoch":
        moment_s = epoch_s(at["epoch"].cast(pl.Float64, strict=False))
    elif form.stamp:
        moment_s = instant_s(at[form.stamp], form.stamp)
    status = at["status"].cast(pl.Float64, strict=False) if "status" in at else pl.lit(200.0)
    frame = frame.with_columns(
        (at[form.taken].cast(pl.Float64, strict=False) * _TO_MS[form.taken]).alias("elapsed_ms"),
        succeeded(status).alias("ok"),
        (pl.lit(None, pl.Float64) if moment_s is None else moment_s).alias("moment_s"),
    )
    return tidy(
        frame,
        elapsed_ms=pl.col("elapsed_ms"),
        ok=pl.col("ok"),
        operation=_operation(at),
        wrong={OTHER: at[form.taken].is_null()},
        kept=("text",),
        **({"end_s" if form.at_end else "start_s": pl.col("moment_s")} if form.stamp else {}),
    )


def _operation(at: Mapping[str, pl.Expr]) -> pl.Expr:
    if "request" not in at:
        path = at.get("path", pl.lit("")).str.splitn("?", 2).struct[0]
        return pl.concat_str(at.get("method", pl.lit("")), path, separator=" ").str.strip_chars()
    line = at["request"].str.splitn("?", 2).struct[0]
    for protocol in _PROTOCOLS:
        line = line.str.strip_suffix(protocol)
    return line
