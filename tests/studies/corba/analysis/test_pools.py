"""The figure of times over the size of the pool: numbers are hollow points, intervals have bars, gaps are passed."""

import pandas as pd
import pytest

from perfstudies.stats.interval import Interval
from perfstudies.studies.corba.analysis.pools import pool_figure
from perfstudies.studies.corba.model import NAMES, QUEUING, published


@pytest.fixture
def times() -> pd.DataFrame:
    printed = published().rename(columns=NAMES)[QUEUING]
    ours = printed.map(lambda ms: Interval(ms, ms - 0.1, ms + 0.1, 0.95, 10)).astype(object)
    some = ours.loc[[1, 4, 25]].reindex(ours.index)
    return pd.concat({"Study": printed, "Ours": ours, "Some": some}, axis=1).swaplevel(axis=1)[QUEUING]


def test_every_quantity_of_every_source_is_drawn_with_what_is_known_of_it(times):
    axes = pool_figure(times).axes[0]
    drawn = {container.get_label(): container for container in axes.containers}
    assert list(drawn) == [f"{name}, {source}" for name, source in times.columns]
    study, ours, some = (drawn[f"Receiver queuing, {source}"] for source in ("Study", "Ours", "Some"))
    assert study[0].get_ydata().tolist() == published()["receiver_queue_ms"].tolist() == ours[0].get_ydata().tolist()
    assert not study.has_yerr and ours.has_yerr and some.has_yerr
    assert some[0].get_xdata().tolist() == [1, 4, 25]
    low, high = ours[2][0].get_segments()[0][:, 1]
    assert (low, high) == pytest.approx((0.43, 0.63))


def test_quantities_have_colours_and_sources_have_markers(times):
    lines = {container.get_label(): container[0] for container in pool_figure(times).axes[0].containers}
    colours = {name: line.get_color() for name, line in lines.items()}
    assert len({colour for name, colour in colours.items() if name.startswith("Receiver")}) == 1
    assert len(set(colours.values())) == len({line.get_marker() for line in lines.values()}) - 1 == 2
