import pytest

from perfstudies.errors import BadParameter
from perfstudies.published import published_table


def test_table_1_adds_up_to_the_whole_as_in_the_study():
    table = published_table("step", 1)
    assert len(table) == 6
    assert table["Time %"].sum() == pytest.approx(100, abs=0.02)
    assert table["Time (ms)"].sum() == pytest.approx(289.89)
    shares = 100 * table["Time (ms)"] / table["Time (ms)"].sum()
    assert shares.tolist() == pytest.approx(table["Time %"].tolist(), abs=0.01)


def test_table_8_has_every_level_as_printed():
    table = published_table("step", 8)
    assert table.loc["Trace"].tolist() == [37430.76, 2029488189]
    assert table.index.tolist() == ["Off", "Fatal", "Error", "Warn", "Info", "Debug", "Trace"]


def test_a_table_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(BadParameter, match="use one of: 1, 8"):
        published_table("step", 9)


def test_every_published_file_has_its_source_noted(repository):
    for folder in (repository / "data" / "raw" / "published").iterdir():
        note = (folder / "README.md").read_text(encoding="utf-8")
        assert "Source:" in note
        for path in folder.iterdir():
            assert path.name == "README.md" or f"`{path.name}`" in note
