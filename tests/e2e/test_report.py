"""The page of `relax-run --report`: whole, of one file, with the graph of kernels, and a plan of memory in which nothing overlaps."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import pytest
from xdsl_relax.runtime.profile.peak import Peak
from xdsl_relax.tools.relax_run import main

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


class Page(HTMLParser):
    """Checks that tags are closed in order, and collects what would be loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href", "data")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def known_peak() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "xdsl_relax.runtime.profile.profile.machine_peak", lambda _: Peak("cpu", 1, 1e11, 1e10, 1e11, 1 << 20)
        )
        yield


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, known_peak: None) -> str:
    example = str(ROOT / "examples/llama_decoder.mlir")
    folder = tmp_path_factory.mktemp("page") / "new" / "folder"
    assert main([example, "--entry", "decode", "--dim", "m=16", "--time", "2", "--report", str(folder)]) == 0
    return (folder / "report.html").read_text()


def pictures(page: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def test_the_page_is_whole_and_needs_nothing_else(page: str):
    parser = Page()
    parser.feed(page)
    parser.close()
    assert parser.open == [] and parser.loaded == []
    assert "<script" not in page and "@import" not in page and "url(" not in page
    assert page.count("<h2>") == 5
    assert "becomes one op with those that read the same value" in page and "lifted from @decode into" in page
    assert "(between kernels)" in page and re.search("row of (32|16) registers", page)


def test_the_graph_has_every_call_of_a_kernel(page: str):
    graph, roofline, _ = pictures(page)
    titles = [title.text or "" for title in graph.iter(f"{SVG}title")]
    assert len(titles) == len([*graph.iter(f"{SVG}rect")]) == 30
    assert sum(title.startswith("rms_norm") for title in titles) == 5
    assert len([*graph.iter(f"{SVG}path")]) > 30
    # Kernels are nearly all of the call but for Python, and no two calls have the time of one.
    shares = [float(re.findall(r"([\d.]+) % of the time", title)[0]) for title in titles]
    rows = re.findall(r"<tr><td>[^(].*?([\d.]+) %</td>", page)
    assert sum(shares) == pytest.approx(sum(map(float, rows[:32])), abs=2)
    # Kernels read kernels above them.
    for path in graph.iter(f"{SVG}path"):
        numbers = [float(number) for number in re.findall(r"-?\d+", path.attrib["d"])]
        assert numbers[1] < numbers[-1]
    assert 10 < len([*roofline.iter(f"{SVG}circle")]) <= 32


def test_what_is_needed_at_one_time_lies_apart(page: str):
    memory = pictures(page)[2]
    boxes = [
        tuple(float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
        for rect in memory.iter(f"{SVG}rect")
        if rect.attrib.get("class") == "buffer"
    ]
    assert len(boxes) > 20
    overlaps = [
        (a, b)
        for a, b in combinations(boxes, 2)
        if a[0] + 0.2 < b[0] + b[2]
        and b[0] + 0.2 < a[0] + a[2]
        and a[1] + 0.05 < b[1] + b[3]
        and b[1] + 0.05 < a[1] + a[3]
    ]
    assert overlaps == []


ODD = """
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = relax.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc("x\\01y"("a.py":3:4))
  %z = relax.nn.softmax %y : (tensor<64x64xf32>) -> tensor<64x64xf32> loc("a\\0Ab\\09c<"("b.py":3:4))
  return %z : tensor<64x64xf32>
}
"""


def test_names_with_control_characters(tmp_path: Path, known_peak: None, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "p.mlir").write_text(ODD)
    profile = ["--profile", f"--profile={tmp_path / 'p.svg'}"]
    assert main([str(tmp_path / "p.mlir"), *profile, "--report", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    rows = [line.split() for line in printed.splitlines() if "matmul" in line or "softmax" in line]
    assert [row[1] for row in rows if row[1][:2] in ("x\\", "a\\")] and "a\\nb\\tc<" in printed and "x\\x01y" in printed
    assert all(len(row) == len(rows[0]) for row in rows)
    titles = [title.text or "" for title in ElementTree.parse(tmp_path / "p.svg").iter(f"{SVG}title")]
    assert any("x\\x01y" in title for title in titles)
    text = (tmp_path / "report.html").read_text()
    assert "x\\x01y" in text and all(letter.isprintable() or letter == "\n" for letter in text)
    assert pictures(text)


def test_a_report_needs_a_directory_and_native_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    example = str(ROOT / "examples/linear.mlir")
    file = tmp_path / "file"
    file.write_text("")
    for options, message in (
        (["--report", str(file)], "--report takes a directory, this is a file"),
        (["--report", str(tmp_path), "--backend", "interpret"], "--report measures native code"),
    ):
        assert main([example, *options]) == 1
        assert message in capsys.readouterr().err


def test_values_on_devices_are_measured(tmp_path: Path, known_peak: None, capsys: pytest.CaptureFixture[str]):
    example = str(ROOT / "examples/devices.mlir")
    assert main([example, "--memory", "--report", str(tmp_path), "--time", "1", "--dim", "n=64"]) == 0
    printed = capsys.readouterr()
    # The result of the product on the other device, and two tensors on this one.
    assert printed.err == "" and "in the arena of native code, 0.0" in printed.out
    assert "examples/devices.mlir:5:5" in (tmp_path / "report.html").read_text()
