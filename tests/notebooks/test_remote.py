"""What a worker's machine sends back of the runs that it carried out."""

import base64

from made.runs import make, record
from perfstudies.notebooks import remote
from perfstudies.runs import store

TIMES = {"filter": 10, "soap": 9, "si": 7, "hibernate": 4}


def test_of_a_finished_run_what_it_lists_and_of_a_failed_one_all_that_had_ended(tmp_path):
    run = make(tmp_path, "one", 0, {"level": "low"}, [record(0, TIMES)])
    assert {*remote._files(run)} == {"client.csv.gz", "monitor.log.gz", store.MANIFEST}
    store.write_manifest(run.folder, run.manifest | {"status": store.FAILED, "error": "it died"})
    (run.folder / "work").mkdir()
    files = remote._files(store.Run(run.folder, store.read_manifest(run.folder)))
    assert [*files][-1] == store.MANIFEST and "work" not in files
    assert base64.b64decode(files["client.csv.gz"]) == (run.folder / "client.csv.gz").read_bytes()
