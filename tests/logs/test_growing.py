from perfstudies.logs.growing import Growing


def test_each_row_is_given_once_and_a_line_that_is_not_whole_waits(tmp_path):
    path, growing = tmp_path / "client.csv", Growing()
    assert growing.rows([path]) == []
    path.write_text("client,number\n0,0\n0,")
    assert growing.rows([path]) == [{"client": "0", "number": "0"}]
    assert growing.rows([path]) == []
    with open(path, "a") as file:
        file.write("1\n0,2\n")
    assert [row["number"] for row in growing.rows([path])] == ["1", "2"]


def test_names_that_are_half_written_wait_too(tmp_path):
    path, growing = tmp_path / "client.csv", Growing()
    path.write_text("client,num")
    assert growing.rows([path]) == []
    path.write_text("client,number\n3,4\n")
    assert growing.rows([path]) == [{"client": "3", "number": "4"}]


def test_several_files_are_followed_each_from_its_own_place(tmp_path):
    paths, growing = [tmp_path / "a.csv", tmp_path / "b.csv"], Growing()
    paths[0].write_text("n\n1\n")
    paths[1].write_text("n\n7\n8\n")
    assert [row["n"] for row in growing.rows(paths)] == ["1", "7", "8"]
    with open(paths[0], "a") as file:
        file.write("2\n")
    assert [row["n"] for row in growing.rows(paths)] == ["2"]


def test_a_file_that_became_shorter_is_read_from_its_beginning(tmp_path):
    path, growing = tmp_path / "client.csv", Growing()
    path.write_text("n\n1\n2\n3\n")
    growing.rows([path])
    path.write_text("m\n9\n")
    assert growing.rows([path]) == [{"m": "9"}]


def test_commas_in_quotes_do_not_part_a_field_and_a_line_with_too_many_is_left_out(tmp_path):
    path = tmp_path / "client.csv"
    path.write_text('n,detail\n1,"reset, at once"\n2,a,b\n3,\n')
    assert Growing().rows([path]) == [{"n": "1", "detail": "reset, at once"}, {"n": "3", "detail": ""}]
