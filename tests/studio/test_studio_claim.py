"""Two studios on one file: the second is told, and nobody's edit is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from served import served
from socket_clients import StudioClient
from studio_text import TEXT

from andante.documents.problems import DocumentError
from andante.studio.document import OpenDocument
from andante.studio.errors import WorkspaceError
from andante.studio.workspace import Claim

HOLDER = """
import sys
from pathlib import Path
from andante.studio.workspace import Claim
claim = Claim(Path(sys.argv[1]), "wave.yaml")
print("mine", flush=True)
for line in sys.stdin:
    break
claim.release()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLDER, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "mine\n"
    return process


def test_a_second_process_is_refused_until_the_first_lets_go(wave: Path) -> None:
    first = holder(wave)
    with pytest.raises(WorkspaceError, match="another studio has this file open"):
        Claim(wave, "wave.yaml")
    with pytest.raises(WorkspaceError, match="several tabs may edit one file"):
        OpenDocument(wave, "wave.yaml")
    first.communicate("\n")
    Claim(wave, "wave.yaml").release()
    assert [path.name for path in wave.parent.iterdir()] == ["wave.yaml"]


def test_a_killed_process_holds_nothing(wave: Path) -> None:
    first = holder(wave)
    first.kill()
    first.wait()
    document = OpenDocument(wave, "wave.yaml")
    document.close()
    assert [path.name for path in wave.parent.iterdir()] == ["wave.yaml"]


def test_a_file_that_cannot_be_read_is_not_held(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_bytes(b"\xff\xfe\x00")
    for _ in range(2):
        with pytest.raises(DocumentError, match="is no text in UTF-8"):
            OpenDocument(broken, "broken.yaml")
    assert [path.name for path in tmp_path.iterdir()] == ["broken.yaml"]


@pytest.mark.slow
def test_two_servers_on_one_file(wave: Path) -> None:
    """The second refuses to open it, other files stay open to it; after a kill it has the first's edits."""
    (wave.parent / "other.yaml").write_text(TEXT)
    with served(wave.parent) as one, served(wave.parent) as two:
        first, second = StudioClient(one), StudioClient(two)
        state = first.ask(do="open", file="wave.yaml")
        at = state["text"].index("# the end")
        first.ask(do="text", revision=state["revision"], changes=[[at, at, "# first\n"]])
        answer = second.ask(do="open", file="wave.yaml")
        assert answer["type"] == "refused"
        assert "another studio has this file open" in answer["text"]
        assert second.ask(do="open", file="other.yaml")["type"] == "state"
        one.kill()
        found = second.ask(do="open", file="wave.yaml")
        assert found["type"] == "state"
        assert found["text"].endswith("# first\n# the end\n")
        assert found["recovered"] == 1
        second.close()
