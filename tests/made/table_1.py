"""How far a table of the CORBA study's model lies from another one, or from what the study measured."""

from perfstudies.studies.corba.model import published


def mean_error_ms(table, rows=None, truth=None):
    """Return the mean absolute difference to the measured cells or another table's, over all rows or some."""
    chosen = list(table.index if rows is None else rows)
    goal = published() if truth is None else truth
    return float((table.loc[chosen] - goal.loc[chosen]).abs().to_numpy().mean())
