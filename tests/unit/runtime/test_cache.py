"""The cache of compiled programs: keys, files, the folder, and what it does where the disk does not."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import xdsl_relax
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f32
from xdsl_relax import compiler_sources
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.runtime.cache import identity, settings, store
from xdsl_relax.runtime.cache.entry import DamagedEntryError, Entry, packed, unpacked
from xdsl_relax.runtime.cache.key import Key, digest_of_program, key_of
from xdsl_relax.runtime.cache.lookup import Lookup, look_up
from xdsl_relax.runtime.cache.settings import CacheOffError, cache_folder, cache_size
from xdsl_relax.runtime.cache.store import CacheWarning, Store
from xdsl_relax.runtime.compiler import compile as compile_program
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.interface.json_form import sealed
from xdsl_relax.runtime.interface.record import Constant
from xdsl_relax.runtime.source import Source
from xdsl_relax.targets.cpu import cpu_target, default_target, host_target

PROGRAM = """
func.func @main(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %c = relax.constant {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %y = relax.add %x, %c : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  %z = relax.nn.relu %y : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %z : tensor<?x4xf32, #relax.sym<n>>
}"""
SOURCE = Source(PROGRAM, "<text>")
OPTIONS = {"opt_level": 2, "threads": 1, "lift": False, "bounds_checks": True, "passes": ()}


@pytest.fixture(scope="module")
def executable() -> Executable:
    return compile_program(PROGRAM)


@pytest.fixture(scope="module")
def entry(executable: Executable) -> Entry:
    return Entry(executable.interface, executable.code, "more")


@pytest.fixture(autouse=True)
def _forget_warnings(monkeypatch: pytest.MonkeyPatch):  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(store, "_warned", set[str]())


def key(number: int = 0) -> Key:
    return key_of(Source(PROGRAM, f"{number}.mlir"), OPTIONS, host_target())


def found(folder: Path, program: ModuleOp | Source = SOURCE, target: str | None = None, **changed: object) -> Lookup:
    return look_up(program, {**OPTIONS, **changed}, target, folder, explains=True)


# What keys distinguish.


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("relax.nn.relu", "relax.exp"),
        ("4.0]", "5.0]"),
        ("4.0]", "-0.0]"),
        ("%x", "%w"),
        ("#relax.sym<n>", "#relax.sym<m>"),
        ("  %y", "\n  %y"),
        ("@main", "@other"),
        ("relax.add %x, %c", "relax.subtract %x, %c"),
        ("return %z", "return %y"),
    ],
)
def test_programs_that_differ_have_different_digests(old: str, new: str):
    changed = PROGRAM.replace(old, new)
    assert digest_of_program(Source(changed, "<text>")) != digest_of_program(SOURCE)
    assert digest_of_program(load(changed)) != digest_of_program(load(PROGRAM))


def test_equal_programs_have_one_digest():
    module = load(PROGRAM)
    assert digest_of_program(module) == digest_of_program(load(PROGRAM)) == digest_of_program(module.clone())


def test_the_file_is_part_of_a_text_as_positions_name_it():
    assert digest_of_program(Source(PROGRAM, "a.mlir")) != digest_of_program(Source(PROGRAM, "b.mlir"))


def test_zeros_have_signs():
    zero, minus = FloatAttr(0.0, f32), FloatAttr(-0.0, f32)
    digests = {
        digest_of_program(ModuleOp([], {"test.a": zero, "test.b": other}))
        for other in (zero, minus, FloatAttr(float("nan"), f32))
    }
    assert len(digests) == 3


def test_operands_and_regions_count():
    nested = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %r = scf.if %p -> (tensor<4xf32>) {
    %a = relax.subtract %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}"""
    texts = [nested, nested.replace("%x, %y :", "%y, %x :"), nested.replace("scf.yield %y", "scf.yield %x")]
    assert len({digest_of_program(load(text)) for text in texts}) == 3


def test_the_target_counts_and_the_processors_of_the_process_do_not():
    names = [key_of(SOURCE, OPTIONS, target).name for target in (cpu_target("haswell"), cpu_target("znver4"))]
    assert len({*names}) == 2
    host = host_target()
    more = replace(host, cores=host.cores + 1)
    assert key_of(SOURCE, OPTIONS, host) == key_of(SOURCE, OPTIONS, more)
    less = replace(host, features=frozenset(sorted(host.features)[1:]))
    assert key_of(SOURCE, OPTIONS, host) != key_of(SOURCE, OPTIONS, less)


def test_every_module_of_a_compilation_is_in_the_digest_of_the_compiler():
    import sys

    digested = {Path(file.path) for file in compiler_sources.compiler_files()}
    compile_program(PROGRAM)
    prefix = f"{xdsl_relax.__name__}."
    above = ("frontend", "tools", "tests", "examples", "benchmarks")
    modules = [
        module
        for name, module in [*sys.modules.items()]
        if name.startswith(prefix) and not name.removeprefix(prefix).startswith(above)
    ]
    assert len(modules) > 300
    missing = [module.__name__ for module in modules if module.__file__ and Path(module.__file__) not in digested]
    assert missing == []


def test_another_source_file_is_another_compiler(tmp_path: Path):
    (tmp_path / "a.py").write_text("x = 1")
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "b.py").write_text("y = 1")

    def digest() -> str:
        return compiler_sources.digest_of_files(compiler_sources.python_files(tmp_path), tmp_path)

    digests = [digest()]
    (tmp_path / "room" / "b.py").write_text("y = 2")
    digests.append(digest())
    (tmp_path / "room" / "b.py").rename(tmp_path / "room" / "c.py")
    digests.append(digest())
    (tmp_path / "room" / "notes.txt").write_text("none")
    assert len({*digests}) == 3 and digest() == digests[-1]


def test_a_file_that_was_written_since_the_start_turns_the_cache_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert not found(tmp_path).text.startswith("off")
    newest = max(file.stat().st_mtime_ns for file in compiler_sources.compiler_files())
    monkeypatch.setattr(compiler_sources, "STARTED", newest)
    assert found(tmp_path).text == "off: source files of xdsl_relax were changed since the process has started"


def test_a_file_that_is_written_while_a_program_is_compiled_keeps_it_from_the_cache(
    tmp_path: Path, executable: Executable, monkeypatch: pytest.MonkeyPatch
):
    lookup = found(tmp_path)
    newest = max(file.stat().st_mtime_ns for file in compiler_sources.compiler_files())
    monkeypatch.setattr(compiler_sources, "STARTED", newest)
    lookup.keep(executable)
    assert "not kept: source files" in lookup.text and not [*tmp_path.iterdir()]


def test_a_package_that_extends_the_compiler_is_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    module = tmp_path / "acme_cache"
    module.mkdir()
    (module / "__init__.py").write_text("EXTENSION = 1")
    metadata = tmp_path / "acme_cache-3.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-cache\nVersion: 3.1\n")
    (metadata / "entry_points.txt").write_text("[xdsl_relax.extensions]\nacme = acme_cache:EXTENSION\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def compiler() -> dict[str, str]:
        identity._extensions.cache_clear()  # pyright: ignore[reportPrivateUsage]
        identity._digest.cache_clear()  # pyright: ignore[reportPrivateUsage]
        return dict(identity.compiler_identity())

    try:
        before = compiler()
        assert len(before["acme-cache 3.1"]) == 64
        (module / "__init__.py").write_text("EXTENSION = 2")
        assert compiler()["acme-cache 3.1"] != before["acme-cache 3.1"]
        with pytest.raises(identity.UnknownCompilerError, match="source files of acme_cache were changed"):
            identity.require_unchanged()
        monkeypatch.setenv("RELAX_EXTENSIONS", "0")
        assert "acme-cache 3.1" not in compiler()
    finally:
        monkeypatch.undo()
        assert "acme-cache 3.1" not in compiler()


# Files.


def test_an_entry_is_read_as_it_was_written(entry: Entry):
    header, read = unpacked(b"".join(packed(key().parts, "a.mlir", entry)))
    assert read == entry
    assert header.source == "a.mlir" and key().is_of(header.key)


def test_constants_are_not_text(executable: Executable):
    data = bytes(range(256)) * 64
    interface = replace(executable.interface, constants=(Constant("c", data), Constant("d", b"")))
    large = Entry(sealed(interface, executable.code), executable.code, "")
    written = b"".join(packed(key().parts, "", large))
    assert data in written
    assert unpacked(written)[1] == large


def test_every_flipped_byte_is_noticed(entry: Entry):
    data = bytearray(b"".join(packed(key().parts, "", entry)))
    step = max(1, len(data) // 2000)
    for place in [*range(0, 2000), *range(2000, len(data), step)]:
        data[place] ^= 0x10
        with pytest.raises(DamagedEntryError):
            unpacked(bytes(data))
        data[place] ^= 0x10
    assert unpacked(bytes(data))[1] == entry


def test_every_part_of_an_entry_is_refused(entry: Entry):
    data = b"".join(packed(key().parts, "", entry))
    for end in {0, 1, 20, 100, len(data) // 2, len(data) - 1}:
        with pytest.raises(DamagedEntryError):
            unpacked(data[:end])
    with pytest.raises(DamagedEntryError):
        unpacked(data + b"x")


def test_a_damaged_entry_is_compiled_again(tmp_path: Path, executable: Executable):
    found(tmp_path).keep(executable)
    (file,) = (tmp_path / "1").iterdir()
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)
    lookup = found(tmp_path)
    assert lookup.executable is None and lookup.text == "miss: the entry was damaged, its digest differs"
    assert not file.exists()
    lookup.keep(executable)
    assert found(tmp_path).executable is not None


# Why a program is not found.


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)])
def test_an_entry_that_is_no_file_is_damaged(tmp_path: Path, entry: Entry, make: Callable[[Path], None]):
    """A pipe would be waited for, and some devices have no end."""
    cache = Store(tmp_path, 1 << 20)
    key = key_of(SOURCE, OPTIONS, host_target())
    assert cache.save(key, "", entry)
    cache.path(key).unlink()
    make(cache.path(key))
    assert [*cache.headers()] == []
    with pytest.raises(DamagedEntryError):
        cache.load(key)
    assert not os.path.lexists(cache.path(key))


def test_hits_and_misses_say_why(tmp_path: Path, executable: Executable):
    first = Source(PROGRAM, "a.mlir")
    lookup = found(tmp_path, first)
    assert lookup.text == "miss: there is no entry of this program"
    lookup.keep(executable)
    assert lookup.text == "miss: there is no entry of this program; kept for the next time"
    hit = found(tmp_path, first)
    assert hit.executable is not None and hit.executable.code == executable.code
    assert hit.text.startswith(f"hit: {tmp_path}")
    assert found(tmp_path, first, opt_level=3).text == "miss: it was compiled with other options: opt_level 2, not 3"
    changed = found(tmp_path, Source(PROGRAM.replace("4.0]", "5.0]"), "a.mlir"))
    assert changed.text == "miss: a.mlir has changed"
    other = found(tmp_path, first, target="haswell").text
    assert other == f"miss: it was compiled for another CPU: {cpu_target(default_target()).name}, not haswell"


@pytest.mark.parametrize(
    ("written", "changed"),
    [
        ('"options"', '"optjons"'),
        ('"target": {', '"target": 5, "u": {'),
        ('"compiler": {', '"compiler": 5, "u": {'),
        ('"opt_level": 2', '"opt_level": 3'),
        ('"program": "', '"program": ["'),
        ('{"key": ', '{"key": 1, "k": '),
    ],
)
def test_a_damaged_entry_is_no_reason(written: str, changed: str, tmp_path: Path, executable: Executable):
    first = Source(PROGRAM, "a.mlir")
    found(tmp_path, first).keep(executable)
    (file,) = (tmp_path / "1").iterdir()
    data = file.read_bytes()
    assert written.encode() in data
    file.write_bytes(data.replace(written.encode(), changed.encode()))
    assert found(tmp_path, first, opt_level=1).text == "miss: there is no entry of this program"


def test_another_compiler_is_named(tmp_path: Path, executable: Executable, monkeypatch: pytest.MonkeyPatch):
    found(tmp_path).keep(executable)
    packages = {**identity.compiler_identity(), "numpy": "1.2.3"}
    monkeypatch.setattr(identity, "_packages", lambda: packages)
    text = found(tmp_path).text
    assert text.startswith("miss: it was compiled by another compiler: numpy ") and text.endswith(", not 1.2.3")


def test_instruction_sets_that_the_entry_has_are_not_run_without_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An entry for AVX-512 on a machine with AVX2, in a folder that both see."""
    from xdsl_relax.runtime.cache import lookup

    wide = replace(cpu_target("x86-64-v4"), name="native")
    narrow = replace(cpu_target("x86-64-v3"), name="native")
    monkeypatch.setattr(lookup, "cpu_target", lambda name: wide)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    found(tmp_path).keep(compile_program(PROGRAM, target="x86-64-v4"))
    assert found(tmp_path).text.startswith("hit")
    monkeypatch.setattr(lookup, "cpu_target", lambda name: narrow)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    miss = found(tmp_path)
    assert miss.executable is None
    assert "with avx512bw, avx512cd, avx512dq, avx512f, avx512vl" in miss.text


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"passes": [object()]}, "off: a pass is an object, of which nobody can tell what it does"),
        ({"passes": 3}, "off: a pass is an object, of which nobody can tell what it does"),
        ({"opt_level": 2.0}, "off: opt_level is an object, of which nobody can tell what it does"),
    ],
)
def test_what_has_no_text_is_not_looked_for(tmp_path: Path, changed: dict[str, Any], reason: str):
    assert found(tmp_path, **changed).text == reason


def test_passes_count_by_stage_and_order(tmp_path: Path, executable: Executable):
    found(tmp_path, passes="cse,dce").keep(executable)
    assert found(tmp_path, passes=["cse,dce"]).executable is not None
    for others in ("dce,cse", {"graph": "cse,dce"}, ["cse", "dce"], ()):
        assert found(tmp_path, passes=others).executable is None


def test_true_is_not_one(tmp_path: Path, executable: Executable):
    found(tmp_path, threads=1).keep(executable)
    assert found(tmp_path, threads=True).executable is None


# The folder.


def test_only_the_user_reads_and_writes(tmp_path: Path, executable: Executable):
    old = os.umask(0)
    try:
        found(tmp_path / "new" / "cache").keep(executable)
    finally:
        os.umask(old)
    folder = tmp_path / "new" / "cache" / "1"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [file.stat().st_mode & 0o777 for file in folder.iterdir()] == [0o600]


def test_a_folder_that_others_may_write_is_not_used(tmp_path: Path, executable: Executable):
    found(tmp_path).keep(executable)
    (tmp_path / "1").chmod(0o722)
    with pytest.warns(CacheWarning, match=f"not kept: {tmp_path}/1: may be written by others"):
        lookup = found(tmp_path)
    lookup.keep(executable)
    assert lookup.text == f"miss: {tmp_path}/1: may be written by others; not kept" and lookup.executable is None


def test_a_warning_points_at_the_caller(tmp_path: Path, executable: Executable):
    found(tmp_path).keep(executable)
    (tmp_path / "1").chmod(0o722)
    with pytest.warns(CacheWarning) as warned:
        found(tmp_path)
    assert [warning.filename for warning in warned] == [__file__]


def test_a_folder_of_another_user_is_not_used(tmp_path: Path, executable: Executable, monkeypatch: pytest.MonkeyPatch):
    found(tmp_path).keep(executable)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.warns(CacheWarning, match=f"belongs to user {user}, not {user + 1}"):
        lookup = found(tmp_path)
    lookup.keep(executable)
    assert lookup.text == f"miss: {tmp_path}/1: belongs to user {user}, not {user + 1}; not kept"
    assert lookup.executable is None


def test_the_least_recently_used_go_first(tmp_path: Path, entry: Entry):
    size = sum(map(len, packed(key().parts, "", entry)))
    cache = Store(tmp_path, 3 * size + size // 2)
    keys = [key(number) for number in range(5)]
    for number in range(3):
        assert cache.save(keys[number], "", entry)
        os.utime(cache.path(keys[number]), (1000 + number, 1000 + number))
    assert cache.load(keys[0]) == entry
    assert cache.save(keys[3], "", entry)
    assert [cache.load(name) is not None for name in keys] == [True, False, True, True, False]
    os.utime(cache.path(keys[2]), (1000, 1000))
    assert cache.save(keys[4], "", entry)
    assert [cache.load(name) is not None for name in keys] == [True, False, False, True, True]


def test_what_is_larger_than_the_cache_is_not_kept(tmp_path: Path, entry: Entry):
    with pytest.warns(CacheWarning, match="bytes is not kept, the cache may have 100"):
        assert not Store(tmp_path, 100).save(key(), "", entry)


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path: Path, entry: Entry):
    cache = Store(tmp_path, 1 << 30)
    assert cache.save(key(0), "", entry)
    left, writing = cache.folder / "left.partial", cache.folder / "writing.partial"
    left.write_bytes(b"half")
    with writing.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert cache.save(key(1), "", entry)
        assert not left.exists() and writing.exists()


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(("name", "fails"), [("fsync", _full), ("replace", _full), ("scandir", _full)])
def test_a_disk_that_is_full_is_a_warning_of_each_process_and_leaves_nothing(
    tmp_path: Path,
    executable: Executable,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    fails: Callable[..., None],
):
    lookup, again = found(tmp_path), found(tmp_path)
    monkeypatch.setattr(store.os, name, fails)
    monkeypatch.setattr("xdsl_relax.runtime.cache.lookup.require_unchanged", lambda: None)
    with pytest.warns(CacheWarning, match="no space left on device"):
        lookup.keep(executable)
    assert lookup.text.endswith("/1: no space left on device") and "; not kept: " in lookup.text
    again.keep(executable)
    monkeypatch.undo()
    assert not [*(tmp_path / "1").glob("*.partial")]


def test_a_folder_that_cannot_be_made_is_a_warning(tmp_path: Path, executable: Executable):
    (tmp_path / "file").write_text("")
    with pytest.warns(CacheWarning, match="not a directory"):
        lookup = found(tmp_path / "file")
    assert lookup.executable is None
    lookup.keep(executable)
    assert lookup.text.endswith("; not kept")


def test_a_cache_that_is_emptied_meanwhile_is_no_error(
    tmp_path: Path, executable: Executable, monkeypatch: pytest.MonkeyPatch
):
    lookup = found(tmp_path)
    replace_file = os.replace

    def emptied(source: str, target: Path) -> None:
        os.unlink(source)
        replace_file(source, target)

    monkeypatch.setattr(store.os, "replace", emptied)
    lookup.keep(executable)
    assert lookup.text.endswith("; not kept")


# Settings.


def test_the_caller_comes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(settings.FOLDER_VARIABLE, str(tmp_path / "environment"))
    assert cache_folder(None) == cache_folder(True) == tmp_path / "environment"
    assert cache_folder(tmp_path / "given") == cache_folder(str(tmp_path / "given")) == tmp_path / "given"
    with pytest.raises(CacheOffError, match="the caller wants none"):
        cache_folder(False)
    monkeypatch.setenv(settings.FOLDER_VARIABLE, "off")
    for word in ("OFF", "0", "Off", "off"):
        with pytest.raises(CacheOffError, match="the caller wants none"):
            cache_folder(word)
        monkeypatch.setenv(settings.FOLDER_VARIABLE, word)
        with pytest.raises(CacheOffError, match=f"RELAX_CACHE={word}"):
            cache_folder(None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder(True) == tmp_path / "xdsl-relax"
    monkeypatch.delenv(settings.FOLDER_VARIABLE)
    assert cache_folder(None) == tmp_path / "xdsl-relax"
    # As the specification of these folders has it, a relative path does not count.
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder(None) == tmp_path / ".cache" / "xdsl-relax"
    with pytest.raises(TypeError, match="cache: expected a folder, True or False, got 3"):
        cache_folder(3)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("text", "size"), [("", 1 << 30), ("100", 100), ("2K", 2048), ("500M", 500 << 20), ("2GiB", 2 << 30), ("0", 0)]
)
def test_sizes_are_numbers_with_units(text: str, size: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(settings.SIZE_VARIABLE, text)
    assert cache_size() == size


@pytest.mark.parametrize("text", ["much", "-1", "1.5G", "2X"])
def test_sizes_that_are_none_are_refused(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(settings.SIZE_VARIABLE, text)
    with pytest.raises(ArgumentError, match="RELAX_CACHE_SIZE: expected bytes such as 500M or 2G, got"):
        cache_size()


def test_an_observer_sees_the_passes_of_each_compilation(tmp_path: Path):
    seen: list[str] = []
    for _ in range(2):
        xdsl_relax.compile(PROGRAM, cache=tmp_path, observer=lambda name, module, seconds: seen.append(name))
    assert seen.count("relax-fuse-ops") == 2 and not [*tmp_path.iterdir()]


def test_a_hit_makes_an_entry_younger(tmp_path: Path, entry: Entry):
    cache = Store(tmp_path, 1 << 30)
    cache.save(key(), "", entry)
    os.utime(cache.path(key()), (1, 1))
    cache.load(key())
    assert time.time() - cache.path(key()).stat().st_mtime < 60
