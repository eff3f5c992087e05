"""Which of several kept results of a bench is the last one."""

from __future__ import annotations

import os

from andante.search.history import found_bench, kept


def test_results_of_one_second_are_in_the_order_in_which_they_were_written(tmp_path):
    """Names tell seconds and a digest, by which two quick benches stood in any order."""
    names = ("floors-20260102-030405-ffffff", "floors-20260102-030405-000000", "floors-20260102-030404-aaaaaa")
    for number, name in enumerate(names):
        path = tmp_path / f"{name}.json"
        path.write_text("{}")
        os.utime(path, ns=(0, 1000 * (number + 1)))
    assert [path.stem for path in kept(tmp_path)] == [names[2], names[0], names[1]]
    assert found_bench("last", tmp_path) == tmp_path / f"{names[1]}.json"
