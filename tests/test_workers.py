"""Which tests share a worker: those that start servers, and the cells of a notebook."""


def test_tests_that_start_servers_share_a_worker_and_those_of_a_file_do(request, repository):
    conftest = request.config.pluginmanager.get_plugin(str(repository / "tests" / "conftest.py"))
    worker_of = object.__new__(conftest.OneServerAtATime)._split_scope
    assert worker_of("tests/a/test_b.py::test_c[d]@live") == worker_of("tests/e/test_f.py::test_g@live") == "live"
    assert worker_of("notebooks/a.ipynb::Cell 1") == worker_of("notebooks/a.ipynb::Cell 2") == "notebooks/a.ipynb"
    assert worker_of("tests/a/test_b.py::test_c[d@e]") == "tests/a/test_b.py"
    live = [item for item in request.session.items if item.get_closest_marker("live")]
    assert all(item.get_closest_marker("xdist_group").args == ("live",) for item in live)
